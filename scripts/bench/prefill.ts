/**
 * A ledger with very many settled intents, for measuring what age costs. Every row is written by the
 * gate's own ledger, edge by edge, and the gate's own verifier accepts the result as a whole; only
 * the size of the transactions differs from a gate at work.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EffectTarget, JsonObject } from '../../adapters/target.ts';
import {
  canonicalJson,
  type IdentifiedRequest,
  identifyRequest,
} from '../../gate/reference/identity.ts';
import { Ledger, type LedgerStep } from '../../gate/reference/ledger.ts';

export interface PrefillOptions {
  readonly folder: string;
  readonly target: EffectTarget;
  readonly intents: number;
  /** Stops between two transactions once this has passed. */
  readonly budgetMs: number;
  readonly onProgress: (intents: number) => void;
}

export interface Prefilled {
  /** How many there really are. */
  readonly intents: number;
  readonly durationMs: number;
}

/** Large enough that syncing does not count, small enough that the write-ahead log stays small. */
const intentsPerTransaction = 10_000;
/** Without it every insert reads and writes back a page of a table that has outgrown SQLite's 2 MB. */
const cacheKiB = 512 * 1024;

/** What the ledger names as owner of its rows while they are written; nobody owns them afterwards. */
const writer = 'prefill';

export async function prefillLedger(options: PrefillOptions): Promise<Prefilled> {
  const beganMs = performance.now();
  const ledger = new Ledger(options.folder, Date.now);
  let intents = 0;
  try {
    ledger.inspect((db) => db.pragma(`cache_size = -${cacheKiB}`));
    while (intents < options.intents && performance.now() - beganMs < options.budgetMs) {
      const count = Math.min(intentsPerTransaction, options.intents - intents);
      const batch = identifyBatch(options.target, intents, count);
      ledger.transact((step) => {
        for (const identified of batch) settleOne(step, identified);
      });
      intents += count;
      options.onProgress(intents);
      // Minutes without a turn would be deaf to a request to stop.
      await nextTurn();
    }
  } finally {
    ledger.close();
  }
  return { intents, durationMs: performance.now() - beganMs };
}

/** In the order of their keys, so that neighbours in the table are written one after the other. */
function identifyBatch(
  target: EffectTarget,
  first: number,
  count: number,
): readonly IdentifiedRequest[] {
  return Array.from({ length: count }, (_, index) =>
    identifyRequest(target, requestNumber(first + index)),
  ).sort((one, other) => (one.decisionKey < other.decisionKey ? -1 : 1));
}

function requestNumber(number: number): JsonObject {
  return {
    operation: 'refund',
    paymentIntent: `pi_old${String(number).padStart(17, '0')}`,
    amountMinor: 1500 + (number % 501),
    currency: 'usd',
  };
}

/** The four edges of an undisturbed submit. */
function settleOne(step: LedgerStep, identified: IdentifiedRequest): void {
  const proposed = step.propose({
    decisionKey: identified.decisionKey,
    payloadHash: identified.payloadHash,
    requestId: `request-${identified.identity.subject}`,
    request: identified.request,
    identity: canonicalJson(identified.identity),
    distinctBy: null,
    lease: 'lease-prefill',
    premises: '[]',
    railKey: identified.decisionKey,
    owner: writer,
  });
  const authorized = step.record(proposed, 'authorize', {
    set: { authorized: 1, evidence: 'lease and premises hold, nothing was sent' },
  });
  const sent = step.record(authorized, 'record-attempt', {
    set: {
      attempts: 1,
      looks: 0,
      absenceEvidence: null,
      lastPage: null,
      evidence: 'attempt 1 is in flight',
    },
    attempts: [
      {
        attempt: 1,
        set: {
          startedAtMs: step.nowMs,
          lease: 'lease-prefill',
          premises: '[]',
          noReturnAtMs: null,
          endedAtMs: null,
          reply: null,
          detail: null,
          noEffect: null,
        },
      },
    ],
  });
  step.record(sent, 'landed', {
    set: {
      entityId: `re_${identified.identity.subject.slice(3)}`,
      evidence: 'the answer to attempt 1 carries our stamp',
      owner: null,
    },
    attempts: [
      {
        attempt: 1,
        set: {
          endedAtMs: step.nowMs,
          reply: 'landed',
          detail: 'landed with our stamp',
          noEffect: null,
        },
      },
    ],
  });
}
