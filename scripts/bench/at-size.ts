/** Latency and recovery on a ledger full of settled intents, beside an empty one in turns. */
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { verifyLedger } from '../../gate/reference/verify.ts';
import type { LoadedTarget } from '../../harness/trial/lab.ts';
import type { BenchLab } from './bench-lab.ts';
import { type Latencies, measureLatency } from './gate-latency.ts';
import { type Prefilled, prefillLedger } from './prefill.ts';
import { quantilesOf, round } from './quantiles.ts';
import { measureRecoveryAtSize, type RecoveryAtSize } from './recovery-at-size.ts';
import { type AtSize, addedLatency, factorOf } from './report.ts';

export interface AtSizeOptions {
  readonly lab: BenchLab;
  readonly intents: number;
  readonly prefillBudgetMs: number;
  readonly effects: number;
  readonly recoveries: number;
  readonly note: (text: string) => void;
}

export async function measureAtSize(
  options: AtSizeOptions,
): Promise<{ readonly latencies: Latencies; readonly atSize: AtSize }> {
  const { lab, note } = options;
  const folder = join(lab.folder, 'bench-ledgers');
  const ledgers = { empty: join(folder, 'empty'), full: join(folder, 'full') };
  for (const ledger of Object.values(ledgers)) mkdirSync(ledger, { recursive: true });
  const target = lab.targetOf('stripe.keyed');

  const prefilled = await prefill(options, target, ledgers.full);
  note('verifying the whole prefilled ledger');
  const verifyBeganMs = performance.now();
  const { kind: verdict } = verifyLedger(ledgers.full);
  const verified = { verdict, durationMs: Math.round(performance.now() - verifyBeganMs) };
  const ledgerMiB = sizeMiB(ledgers.full);

  note('latency of effects');
  const latencies = await measureLatency({ target, rounds: options.effects, ledgers });
  note('recoveries on an empty and on the full ledger');
  const { empty, full } = await measureRecoveryAtSize({
    lab,
    rounds: options.recoveries,
    fullLedger: ledgers.full,
  });
  const latencyEmpty = addedLatency(latencies.withEmptyMs, latencies.withoutMs);
  const latencyFull = addedLatency(latencies.withFullMs, latencies.withoutMs);
  return {
    latencies,
    atSize: {
      intents: prefilled.intents,
      intentsAsked: options.intents,
      prefillMs: Math.round(prefilled.durationMs),
      verified,
      ledgerMiB,
      gateLatencyMs: latencyFull,
      ...recoveryQuantiles(full),
      empty: { gateLatencyMs: latencyEmpty, ...recoveryQuantiles(empty) },
      factors: {
        gateLatency: round(latencyFull.p50 / latencyEmpty.p50),
        recovery: factorOf(full.recoveryMs, empty.recoveryMs),
        restart: factorOf(full.restartMs, empty.restartMs),
        start: factorOf(full.startMs, empty.startMs),
      },
    },
  };
}

async function prefill(
  { intents, prefillBudgetMs, note }: AtSizeOptions,
  loaded: LoadedTarget,
  folder: string,
): Promise<Prefilled> {
  const namespace = await loaded.rail.openNamespace('prefill');
  const target = loaded.createTarget({
    endpoint: namespace.endpoint,
    credentials: namespace.credentials,
    options: loaded.declared.target.options,
    now: Date.now,
  });
  try {
    return await prefillLedger({
      folder,
      target,
      intents,
      budgetMs: prefillBudgetMs,
      onProgress: (written) => {
        if (written % 100_000 === 0) note(`prefill: ${written.toLocaleString('en')} intents`);
      },
    });
  } finally {
    await target.close?.();
    await namespace.close?.();
  }
}

function recoveryQuantiles({ recoveryMs, restartMs, startMs }: RecoveryAtSize) {
  return {
    recoveryMs: quantilesOf(recoveryMs),
    restartMs: quantilesOf(restartMs),
    startMs: quantilesOf(startMs),
  };
}

function sizeMiB(folder: string): number {
  const bytes = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(folder, entry.name)).size, 0);
  return Math.round(bytes / 2 ** 20);
}
