import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { isLive, readProcess } from '../kills/process-table.ts';
import { fixtureFolder, openStage } from './testing/start-fixture.ts';

it('a subject leaves by itself when its harness is killed', async () => {
  const stage = openStage();
  const bundle = join(stage.folder, 'subject-process.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'subject-process.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  });
  const harness = spawn(
    process.execPath,
    [
      join(fixtureFolder, 'harness-that-waits.mjs'),
      bundle,
      join(fixtureFolder, 'answers.mjs'),
      stage.folder,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    const [line] = await once(harness.stdout, 'data');
    const subject = Number(String(line).trim());
    const alive = () => {
      const entry = readProcess(subject);
      return entry !== null && isLive(entry);
    };
    expect(alive()).toBe(true);
    harness.kill('SIGKILL');
    await once(harness, 'exit');
    await expect.poll(alive, { timeout: 5000 }).toBe(false);
  } finally {
    harness.kill('SIGKILL');
    stage.clear();
  }
});
