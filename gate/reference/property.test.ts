import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../adapters/target.ts';
import type { AnnouncedPoint, LeaseState } from '../gate.ts';
import type { ChainBody } from './chain.ts';
import { ledgerFile } from './ledger.ts';
import { referencePoints } from './points.ts';
import { absorbingStates, edges } from './states.ts';
import { Bench, proposalOf, refund } from './testing/bench.ts';
import { declarations, type Effect, type NextApply, type NextLook } from './testing/service.ts';
import { intentId, verifyLedger } from './verify.ts';

const applies: readonly NextApply[] = [
  'ok',
  'reply-lost',
  'request-lost',
  'held',
  'foreign',
  'refused',
  'refused-mendable',
  'stored-error',
  'in-flight',
];
const looks: readonly NextLook[] = ['ok', 'could-not-tell', 'throws', 'incomplete'];

const declarationNames = Object.keys(declarations) as (keyof typeof declarations)[];

type Step =
  | { readonly kind: 'submit' | 'recover'; readonly crashAt: AnnouncedPoint | null }
  | {
      readonly kind:
        | 'beside'
        | 'changed-payload'
        | 'lease-dies'
        | 'lease-lives'
        | 'day-passes'
        | 'lands';
    };

const stepOf: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('submit' as const, 'recover' as const),
      crashAt: fc.option(fc.constantFrom(...referencePoints)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Step>(
      { kind: 'changed-payload' },
      { kind: 'beside' },
      { kind: 'lease-dies' },
      { kind: 'lease-lives' },
      { kind: 'day-passes' },
      { kind: 'lands' },
    ),
  },
);

/** Room for one of the two orders, never for both. */
const limit = 50;
const beside = { order: 'order-2', amountMinor: 40 };
const live: LeaseState = {
  kind: 'live',
  expiresAtMs: null,
  coversReasons: [],
  caps: [{ field: 'amountMinor', limit, within: {} }],
};

// Thousands of synced writes: on a busy disk they take longer than a test's usual time.
test('whatever dies and whatever answers: one effect at most, and no claim the journal denies', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...declarationNames),
      fc.array(fc.constantFrom(...applies), { maxLength: 6 }),
      fc.array(fc.constantFrom(...looks), { maxLength: 4 }),
      fc.array(stepOf, { minLength: 1, maxLength: 8 }),
      async (kind, nextApplies, nextLooks, steps) => {
        const declaration = declarations[kind];
        // Short waits: what is late here is placed by the schedule, not by time.
        await using bench = new Bench({ ...declaration, clientTimeoutMs: 1 });
        bench.lease = live;
        bench.service.applies.push(...nextApplies);
        bench.service.looks.push(...nextLooks);
        // A bound is a promise of the service: nothing lands after it.
        const { absence } = declaration;
        const boundHolds = absence !== 'fence' && absence !== 'never';
        for (const step of steps) {
          await carryOut(bench, step);
          if (boundHolds) bench.service.dropHeld();
          await checkClaims(bench);
        }
        bench.service.landHeld();
        for (const request of [refund(20), beside]) {
          expect(effectsOf(bench, request).length).toBeLessThanOrEqual(1);
        }
        const amounts = bench.service.effects.map(({ request }) => Number(request.amountMinor));
        expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBeLessThanOrEqual(limit);
        expect(verifyLedger(bench.folder)).toMatchObject({ kind: 'holds' });
        checkHistory(bench);
      },
    ),
    { numRuns: 60 },
  );
}, 120_000);

/** Each step is an incarnation of its own. */
async function carryOut(bench: Bench, step: Step): Promise<void> {
  switch (step.kind) {
    case 'submit':
    case 'recover': {
      const gate = bench.open();
      await bench.mayEndAt(step.crashAt, () =>
        step.kind === 'submit' ? gate.submit(proposalOf(refund(20))) : gate.recover(),
      );
      await gate.close();
      return;
    }
    case 'changed-payload': {
      const gate = bench.open();
      const recorded = await gate.ask(refund(20));
      const isBound = recorded.state !== null && recorded.state !== 'BLOCKED';
      if (isBound) {
        const calls = bench.service.calls.length;
        expect((await gate.submit(proposalOf(refund(30)))).outcome).toBe('refused');
        expect(bench.service.calls).toHaveLength(calls);
      }
      await gate.close();
      return;
    }
    case 'beside': {
      const gate = bench.open();
      await gate.submit(proposalOf(beside));
      await gate.close();
      return;
    }
    case 'lease-dies':
      bench.lease = { kind: 'dead', reason: 'revoked' };
      return;
    case 'lease-lives':
      bench.lease = live;
      return;
    case 'day-passes':
      bench.nowMs += 86_400_000;
      // No request is on its way for a day.
      bench.service.dropHeld();
      bench.service.prune();
      return;
    case 'lands':
      bench.service.landHeld();
      return;
    default:
      step satisfies never;
  }
}

async function checkClaims(bench: Bench): Promise<void> {
  const gate = bench.open();
  for (const request of [refund(20), beside]) {
    const claim = await gate.ask(request);
    const effects = effectsOf(bench, request);
    if (claim.outcome === 'happened') {
      expect(effects).toHaveLength(1);
      expect(claim.entityId).toBe(effects[0]?.entityId);
    }
    if (claim.outcome === 'absent' || claim.outcome === 'refused') expect(effects).toEqual([]);
  }
  await gate.close();
}

function effectsOf(bench: Bench, { order }: JsonObject): readonly Effect[] {
  return bench.service.effects.filter(({ request }) => request.order === order);
}

/** Every recorded step is a drawn edge, nothing follows an absorbing state, attempts rise by one. */
function checkHistory(bench: Bench): void {
  const db = new Database(ledgerFile(bench.folder), { readonly: true });
  const bodies = db
    .prepare<[], { body: string }>('SELECT body FROM chain ORDER BY seq')
    .all()
    .map(({ body }) => JSON.parse(body) as ChainBody);
  db.close();
  const states = new Map<string, string>();
  const attempts = new Map<string, number>();
  for (const { decisionKey, proposal, event, set } of bodies) {
    const id = intentId(decisionKey, proposal);
    const from = states.get(id);
    if (from !== undefined) {
      expect(absorbingStates).not.toContain(from);
      const isDrawn = edges.some(
        (edge) => edge.from === from && edge.event === event && edge.to === set.state,
      );
      expect(isDrawn || from === set.state).toBe(true);
    }
    if (event === 'record-attempt') {
      expect(set.attempts).toBe((attempts.get(id) ?? 0) + 1);
      attempts.set(id, Number(set.attempts));
    }
    states.set(id, set.state ?? '');
  }
}
