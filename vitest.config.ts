import { defineConfig } from 'vitest/config';

// Where a machine-readable report is wanted too, a variable names its file.
const report = process.env.KILLPOINT_TEST_REPORT;

// Two workers because the suite starts real processes and the reference machine has two cores.
export default defineConfig({
  test: {
    include: ['{harness,adapters,gate,scripts,examples}/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
});
