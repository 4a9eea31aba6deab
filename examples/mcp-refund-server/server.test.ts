import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../harness/cli/testing/cli.ts';

/** A run apiece, each with processes of its own, on a machine that has other things to do. */
vi.setConfig({ testTimeout: 60_000 });

let folder: string;
let server: string;

beforeAll(async () => {
  // Beside the packages it imports.
  folder = mkdtempSync(join(tmpdir(), 'killpoint-test-'));
  server = join(folder, 'server.cjs');
  await build({
    entryPoints: [new URL('server.ts', import.meta.url).pathname],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: join(folder, 'server.mjs'),
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'silent',
  });
  server = join(folder, 'server.mjs');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const args = '{"payment":"{paymentIntent}","amount":"{amountMinor}"}';

function certify(argv: readonly string[], command: readonly string[]) {
  return runCli(folder, [
    ...['certify', 'mcp', '--against', 'stripe.keyed', '--tool', 'create_refund', '--args', args],
    ...['--env', 'STRIPE_API_BASE={url}', '--env', 'STRIPE_API_KEY={apiKey}'],
    ...argv,
    '--',
    process.execPath,
    ...command,
  ]);
}

describe('an MCP server that an agent calls again', () => {
  it.each([
    'during_call:now/none/none/same-again',
    'during_call:never/none/none/same-again',
    'wire:half-reply/none/none/fresh-id',
    'during_call:now/none/none/changed-amount',
  ])('holds with a key of the decision (%s)', async (cell) => {
    const run = await certify(['--only', cell], [server]);
    expect(run.exitCode, `${run.printed}${run.noted}`).toBe(0);
    expect(run.printed).toContain('No promise was broken.');
  });

  it('is condemned with a key of its own for every call, and the rule is named', async () => {
    const run = await certify(
      ['--only', 'during_call:now/none/none/same-again'],
      [server, '--unsound'],
    );
    expect(run.exitCode, run.noted).toBe(1);
    expect(run.printed).toContain('two-effects');
    expect(run.printed).toContain('1. stable-key');
  });

  it.each([
    ['a tool it does not offer', ['--tool', 'refund'], /the tool refund, it offers create_refund/],
    ['arguments that are no JSON', ['--args', 'nothing'], /JSON object/],
  ] as const)('is refused with %s', async (_what, argv, message) => {
    const run = await certify(argv, [server]);
    expect(run.exitCode).toBe(64);
    expect(run.noted).toMatch(message);
  });
});
