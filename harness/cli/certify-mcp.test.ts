import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCli } from './testing/cli.ts';

/** A run apiece, each with processes of its own, on a machine that has other things to do. */
vi.setConfig({ testTimeout: 60_000 });

let folder: string;
let server: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'killpoint-test-'));
  server = join(folder, 'server.mjs');
  await build({
    entryPoints: [new URL('../mcp/testing/awkward-server.ts', import.meta.url).pathname],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: server,
    logLevel: 'silent',
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function certify(argv: readonly string[], command: readonly string[]) {
  return runCli(folder, [
    ...['certify', 'mcp', '--against', 'stripe.keyed', '--tool', 'create_refund'],
    ...['--args', '{"payment":"{paymentIntent}","amount":"{amountMinor}"}'],
    ...['--env', 'STRIPE_API_BASE={url}', '--env', 'STRIPE_API_KEY={apiKey}'],
    ...['--only', 'during_call:now/none/none/same-again', ...argv, '--', process.execPath],
    ...command,
  ]);
}

describe('a server whose effects are sound', () => {
  it.each([
    ['answers with an error of the protocol', []],
    ['ends in the middle of every call', ['--dies']],
  ])('is not condemned because it %s', async (_what, flags) => {
    const run = await certify([], [server, ...flags]);
    expect(run.printed).toContain('0 violated + 0 inconclusive');
  });
});

describe('a server that ends in the middle of every call', () => {
  it('is called again as an agent does, so that a fresh key is seen to refund again', async () => {
    const run = await certify([], [server, '--dies', '--fresh']);
    expect(run.exitCode).toBe(1);
    expect(run.printed).toContain('two-effects');
  });
});

describe('before anything is run, the message names', () => {
  it.each([
    ['the tools there are', ['--tool', 'refund'], /the tool refund, it offers create_refund/],
    ['fields there are, for --args', ['--args', '{"a":"{no}"}'], /--args: .*paymentIntent.*\{no\}/],
    ['the same for --changed-args', ['--changed-args', '{"a":"{no}"}'], /--changed-args: .*\{no\}/],
    ['the same for --env', ['--env', 'A={no}'], /--env: .*url.*\{no\}/],
  ])('%s', async (_what, argv, message) => {
    const run = await certify(argv, [server]);
    expect(run.exitCode).toBe(64);
    expect(run.noted).toMatch(message);
  });

  it('what a server that ends at once has printed', async () => {
    const run = await certify([], ['-e', 'console.error("no key given"); process.exit(3)']);
    expect(run.exitCode).toBe(64);
    expect(run.noted).toContain('no key given');
  });
});
