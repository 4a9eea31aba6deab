/**
 * Whole trials as `killpoint run live-stripe` has them, with the stand-in in Stripe's place: subject in
 * plain HTTP to the wire, wire and rail over TLS to a service known by an address and an authority.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSdk } from '../../adapters/stripe/testing/loopback.ts';
import {
  openSecureStripe,
  type SecureStripe,
} from '../../adapters/stripe/testing/secure-stripe.ts';
import { faultKinds, isWireFault } from '../model/fault-table.ts';
import { killPointNames } from '../model/kill-points.ts';
import type { TrialRecord } from '../model/results.ts';
import type { TargetEntry } from '../plan/catalogue-entry.ts';
import { type CellsRun, removeTemporaryFolders, runCells, source } from './testing/run-cells.ts';

let stripe: SecureStripe;
beforeAll(async () => {
  stripe = await openSecureStripe();
});
afterAll(async () => {
  removeTemporaryFolders();
  await stripe.close();
});

/** The service is near: what is waited for in it is less, and nothing else is different. */
const targets = source.targets
  .filter(({ name }) => name.startsWith('stripe.live'))
  .map((entry): TargetEntry => {
    const near = 'lagMs' in entry.target.options ? { lagMs: 40, landingBoundMs: 200 } : {};
    const options = { ...entry.target.options, ...near, clientTimeoutMs: 1_000 };
    return {
      ...entry,
      target: { ...entry.target, options },
      rail: { ...entry.rail, options: {} },
    };
  });

const wireFaults = faultKinds.filter(isWireFault);

function run(ids: readonly string[]): Promise<CellsRun> {
  return runCells(ids, { targets, environment: stripe.environment });
}

function expectHolding(records: readonly TrialRecord[], count: number): void {
  const unmet = records.filter((record) => record.verdict !== 'holds');
  expect(unmet.map(({ id, findings, reason }) => ({ id, findings, reason }))).toEqual([]);
  expect(records).toHaveLength(count);
}

describe('trials at a Stripe behind TLS', () => {
  it('hold for the reference gate, killed at every point', async () => {
    const cells = ['stripe.live', 'stripe.live-lookup'].flatMap((target) =>
      killPointNames.map((kill) => `reference/${target}/${kill}/none/none/same-again`),
    );
    const { records, historyOf } = await run(cells);
    expectHolding(records, 14);
    const [record] = records;
    if (record === undefined) throw new Error('no record');
    // It went where it was to go: the trial's payment is at the service, and labelled with it.
    const [id = ''] = /pi_\w+/.exec(historyOf(record)) ?? [];
    const sdk = openSdk(stripe.account, stripe.account.credentials);
    const payment = await sdk.paymentIntents.retrieve(id);
    expect(payment.metadata.killpoint_trial).toBe(record.id);
  }, 120_000);

  it('hold for the reference gate under every fault of the wire', async () => {
    const { records } = await run([
      ...wireFaults.map(
        (fault) =>
          `reference/stripe.live/after_call_before_commit/${fault}@first-send/none/same-again`,
      ),
      ...['reply-lost', 'late-apply', 'partition'].map(
        (fault) => `reference/stripe.live/after_wal_before_call/${fault}@resend/none/same-again`,
      ),
      ...['error-after-apply', 'foreign-reply'].map(
        (fault) => `reference/stripe.live/before_wal/${fault}@caller/none/same-again`,
      ),
      ...['request-lost', 'partition-forever'].map(
        (fault) => `reference/stripe.live-lookup/during_call:now/${fault}@look/none/same-again`,
      ),
    ]);
    expectHolding(records, 18);
  }, 180_000);

  it('hold when the wire places the kill, people act meanwhile, and callers come at once', async () => {
    const { records } = await run([
      'reference/stripe.live/wire:half-request/none/none/same-again',
      'reference/stripe.live/after_wal_before_call+before-resend/none/none/same-again',
      ...['done-by-hand', 'premise-changed', 'unrelated-change', 'authority-revoked'].map(
        (world) => `reference/stripe.live/during_call:now/none/${world}/same-again`,
      ),
      'reference/stripe.live/during_call:now/none/none/storm',
      'reference/stripe.live/during_call:now/none/none/second-legitimate',
    ]);
    expectHolding(records, 8);
  }, 120_000);

  it('condemn the gate that reruns under a fresh key', async () => {
    const { records } = await run(['naive/stripe.live/during_call:now/none/none/same-again']);
    expect(records[0]).toMatchObject({ verdict: 'violated', meetsExpectation: true });
    expect(records[0]?.findings.map(({ finding }) => finding)).toContain('two-effects');
  }, 60_000);

  it('prove nothing when the service can’t be reached, and say so', async () => {
    const gone = await openSecureStripe();
    await gone.close();
    const { STRIPE_API_KEY, KILLPOINT_STRIPE_URL } = gone.environment;
    const { records } = await runCells(['reference/stripe.live/before_wal/none/none/same-again'], {
      targets,
      environment: { STRIPE_API_KEY, KILLPOINT_STRIPE_URL },
    });
    expect(records[0]?.verdict).toBe('inconclusive');
    expect(JSON.stringify(records[0]?.findings)).toMatch(/rail-cannot.*expected to .*no answer/);
  }, 60_000);
});
