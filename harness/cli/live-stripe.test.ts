/** What people see of a run against Stripe: without a key, with one that must not be used, and with one. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSecureStripe } from '../../adapters/stripe/testing/secure-stripe.ts';
import { builtInCatalogue } from '../plan/catalogue.ts';
import type { Catalogue } from '../plan/catalogue-entry.ts';
import { readResults } from '../results/store.ts';
import { repository, runCli } from './testing/cli.ts';
import { temporaryFolders } from './testing/folders.ts';

const newFolder = temporaryFolders();
const cell = 'reference/stripe.live/during_call:now/none/none/same-again';
const reason = /Stripe's test mode needs a key: set STRIPE_API_KEY to one of .*sk_test_…/;

describe('killpoint run live-stripe without a key', () => {
  it('runs nothing, exits 2, and gives the reason in text, markdown and JSON', async () => {
    const folder = newFolder();
    const run = await runCli(folder, ['run', 'live-stripe']);
    expect(run.exitCode).toBe(2);
    expect(run.printed).toMatch(new RegExp(`Excluded:\\n +72 × ${reason.source}`));
    expect(run.printed).toContain('72 planned = 0 holds + 0 violated');
    const out = join(folder, 'results/live-stripe');
    expect(readFileSync(join(out, 'chaos.md'), 'utf8')).toMatch(reason);
    const { trials, targets } = await readResults(out);
    expect(trials).toHaveLength(72);
    for (const trial of trials) expect(trial).toMatchObject({ verdict: 'excluded' });
    for (const trial of trials) expect(trial.reason).toMatch(reason);
    for (const target of targets) expect(target.railUnavailable).toMatch(reason);
    const judged = await runCli(folder, ['judge', 'results/live-stripe']);
    expect(judged.printed).toContain('0 differences');
    expect(await runCli(folder, ['list', 'live-stripe'])).toMatchObject({
      exitCode: 2,
      printed: expect.stringMatching(reason),
    });
  }, 60_000);

  it('excludes single trials with the same reason', async () => {
    const folder = newFolder();
    const run = await runCli(folder, ['run', `${cell}/1`]);
    expect(run).toMatchObject({ exitCode: 2, printed: expect.stringMatching(reason) });
    const judged = await runCli(folder, ['judge', 'results/last']);
    expect(judged.printed).toContain('0 differences');
  }, 60_000);
});

describe('a live key', () => {
  const environment = { STRIPE_API_KEY: 'sk_live_Qw7Er2Ty9Ui4Op' };

  it.each([
    ['run', 'live-stripe'],
    ['run', cell],
    ['list', 'live-stripe'],
  ])(
    'ends %s %s with 64 and the reason, and nothing is written',
    async (command, what) => {
      const folder = newFolder();
      const run = await runCli(folder, [command, what], { environment });
      expect(run.exitCode).toBe(64);
      expect(run.noted).toMatch(
        /^killpoint: stripe.live: expected a test key .*live keys are never used/,
      );
      expect(run.printed + run.noted).not.toMatch(/Qw7|i4Op/);
      expect(existsSync(join(folder, 'results'))).toBe(false);
    },
    60_000,
  );

  it('keeps nobody from what does not ask for Stripe', async () => {
    expect(await runCli(newFolder(), ['list', 'smoke'], { environment })).toMatchObject({
      exitCode: 0,
    });
  }, 60_000);
});

/** A gate believed to be sound that is not, and one that tells its credentials: the evidence of both is kept. */
function catalogueWithFailures(): Catalogue {
  const catalogue = builtInCatalogue(repository, '.ts');
  const naive = catalogue.gates.find(({ name }) => name === 'naive');
  if (naive === undefined) throw new Error('expected the naive gate in the catalogue');
  const script = `${repository}/harness/trial/fixtures/tells-everything.mjs`;
  return {
    ...catalogue,
    gates: [
      ...catalogue.gates,
      { ...naive, name: 'impostor', lacks: [] },
      {
        name: 'tells-everything',
        about: 'prints what it was started with',
        lacks: [],
        run: { kind: 'command', command: [process.execPath, script] },
      },
    ],
  };
}

describe('the key of a run at Stripe', () => {
  it('stands in nothing the run prints or leaves, evidence of failures included', async () => {
    const stripe = await openSecureStripe();
    const folder = newFolder();
    const temporary = newFolder();
    const before = process.env.TMPDIR;
    process.env.TMPDIR = temporary;
    try {
      const { environment } = stripe;
      const run = await runCli(
        folder,
        [
          'run',
          cell,
          'impostor/stripe.live/during_call:now/none/none/same-again',
          'tells-everything/stripe.live/after_wal_before_call/none/none/same-again',
        ],
        { environment, catalogue: catalogueWithFailures() },
      );
      const { trials } = await readResults(join(folder, 'results/last'));
      expect(trials.map(({ meetsExpectation }) => meetsExpectation)).toEqual([true, false, false]);
      expect(run.exitCode).toBe(1);
      // What was left is only what the run was asked to leave.
      expect(readdirSync(temporary)).toEqual([]);

      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .map((name) => join(folder, name))
        .filter((path) => statSync(path).isFile());
      const names = files.join('\n');
      for (const kept of ['stdout-1.txt', 'stderr-1.txt', 'notes/start.json', 'chaos.json']) {
        expect(names).toContain(kept);
      }
      expect(names).toMatch(/impostor.*\.evidence\/ledger\/.+/);
      const key = environment.STRIPE_API_KEY;
      const told = [
        names,
        run.printed,
        run.noted,
        ...files.map((path) => readFileSync(path, 'latin1')),
      ];
      const text = told.join('\n');
      expect(text).toContain('*'.repeat(key.length));
      expect(text).toContain('[secret]');
      const parts = [key, key.slice(0, 16), key.slice(-8), Buffer.from(key).toString('base64url')];
      for (const part of parts) expect(text).not.toContain(part);
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
      await stripe.close();
    }
  }, 120_000);
});
