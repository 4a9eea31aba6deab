/**
 * What a gate adds to an effect: the same Stripe target, in one process, against the local rail,
 * called bare, through a gate on an empty ledger and through one on a full ledger, taking turns.
 */
import type { RailNamespace } from '../../adapters/rail.ts';
import type { EffectTarget, JsonObject } from '../../adapters/target.ts';
import type { Gate } from '../../gate/gate.ts';
import { createGate } from '../../gate/reference/gate.ts';
import type { LoadedTarget } from '../../harness/trial/lab.ts';

/** Far beyond any answer of a local rail: a resend would be measured as latency. */
const clientTimeoutMs = 5_000;
const mostWarmUpRounds = 50;

export interface LatencyOptions {
  readonly target: LoadedTarget;
  readonly rounds: number;
  /** Folders of the ledgers to compare, each with a gate of its own. */
  readonly ledgers: { readonly empty: string; readonly full: string };
}

export interface Latencies {
  readonly withoutMs: readonly number[];
  readonly withEmptyMs: readonly number[];
  readonly withFullMs: readonly number[];
}

export async function measureLatency(options: LatencyOptions): Promise<Latencies> {
  const { rail, createTarget, declared } = options.target;
  const namespace = await rail.openNamespace('latency');
  const target = createTarget({
    endpoint: namespace.endpoint,
    credentials: namespace.credentials,
    options: { ...declared.target.options, clientTimeoutMs },
    now: Date.now,
  });
  const openGate = (ledger: string) =>
    createGate({ target, ledger, authority: alwaysLive, now: Date.now });
  const empty = openGate(options.ledgers.empty);
  const full = openGate(options.ledgers.full);
  const measured = { withoutMs: [], withEmptyMs: [], withFullMs: [] } as {
    readonly [series in keyof Latencies]: number[];
  };
  const ways: readonly Way[] = [
    { series: measured.withoutMs, call: (request, number) => apply(target, request, number) },
    { series: measured.withEmptyMs, call: (request, number) => submit(empty, request, number) },
    { series: measured.withFullMs, call: (request, number) => submit(full, request, number) },
  ];
  try {
    const warmUpRounds = Math.min(mostWarmUpRounds, options.rounds);
    await takeTurns(ways, { rounds: warmUpRounds, from: 0, namespace, keep: false });
    await takeTurns(ways, { rounds: options.rounds, from: warmUpRounds, namespace, keep: true });
  } finally {
    await empty.close();
    await full.close();
    await target.close?.();
    await namespace.close?.();
  }
  return measured;
}

interface Way {
  readonly series: number[];
  readonly call: (request: JsonObject, number: number) => Promise<void>;
}

interface Turns {
  readonly rounds: number;
  /** Numbers make requests, and no two calls may ask for the same. */
  readonly from: number;
  readonly namespace: RailNamespace;
  readonly keep: boolean;
}

/** Whoever goes first in a round goes last in the next. */
async function takeTurns(ways: readonly Way[], { rounds, from, namespace, keep }: Turns) {
  for (let round = from; round < from + rounds; round += 1) {
    for (let turn = 0; turn < ways.length; turn += 1) {
      const way = ways[(round + turn) % ways.length];
      if (way === undefined) continue;
      const number = round * ways.length + turn;
      const { request } = namespace.examples(number);
      const beganMs = performance.now();
      await way.call(request, number);
      const tookMs = performance.now() - beganMs;
      if (keep) way.series.push(tookMs);
    }
  }
}

async function apply(target: EffectTarget, request: JsonObject, number: number): Promise<void> {
  const result = await target.apply({ key: `bench-${number}`, request, attempt: 1 });
  if (result.kind !== 'landed') {
    throw new Error(`expected a bare call to land, got ${JSON.stringify(result)}`);
  }
}

async function submit(gate: Gate, request: JsonObject, number: number): Promise<void> {
  const outcome = await gate.submit({
    requestId: `bench-${number}`,
    request,
    lease: 'lease-bench',
    premises: [],
  });
  if (outcome.outcome !== 'happened') {
    throw new Error(`expected a submit to say happened, got ${JSON.stringify(outcome)}`);
  }
}

const alwaysLive = {
  check: async () => ({ kind: 'live', expiresAtMs: null, coversReasons: [] }) as const,
};
