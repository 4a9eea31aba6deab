import { defineConfig } from 'vitest/config';

// Two workers because the suite starts real processes and the reference machine has two cores.
export default defineConfig({
  test: {
    include: ['{harness,adapters,gate,scripts,examples}/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
