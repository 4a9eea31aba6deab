/**
 * How long a recovery takes, from the histories of real trials: `recover` sent to its `done`, and
 * SIGKILL sent to that same `done`. The reference gate on `stripe.keyed`, killed wherever an attempt
 * is in flight, without a fault.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { noFault } from '../../harness/model/cell.ts';
import type { HistoryEvent } from '../../harness/model/history.ts';
import type { KillPoint } from '../../harness/model/kill-points.ts';
import { parseHistory } from '../../harness/model/parse-history.ts';
import { type PlannedTrial, planTrial } from '../../harness/plan/plan.ts';
import { historyPath } from '../../harness/results/history-path.ts';
import { runPlan } from '../../harness/trial/run.ts';
import type { BenchLab, Parts } from './bench-lab.ts';

/** Those that leave an attempt in flight in the ledger. */
const inFlightKills: readonly KillPoint[] = [
  'after_wal_before_call',
  'during_call:now',
  'during_call:later',
  'during_call:never',
  'after_call_before_commit',
];

export interface RecoveryOptions {
  readonly lab: BenchLab;
  readonly parts: Parts;
  readonly trialsPerPoint: number;
  readonly seed: number;
}

export interface RecoveryTimes {
  readonly recoveryMs: readonly number[];
  readonly restartMs: readonly number[];
}

/** One trial at a time: the time of a recovery is wanted, not of two that share the machine. */
export async function measureRecovery(options: RecoveryOptions): Promise<RecoveryTimes> {
  const trials = recoveryTrials(options.trialsPerPoint, options.seed);
  const outDir = join(options.lab.folder, 'bench-recovery');
  await runPlan({
    plan: { matrix: 'bench', title: 'Bench', seed: options.seed, trials, excluded: [] },
    ...options.parts,
    workers: 1,
    outDir,
    bail: false,
  });
  const times = trials.map(({ id }) =>
    readRecovery(parseHistory(readFileSync(historyPath(outDir, id), 'utf8')).events),
  );
  rmSync(outDir, { recursive: true, force: true });
  return {
    recoveryMs: times.map((time) => time.recoveryMs),
    restartMs: times.map((time) => time.restartMs),
  };
}

function recoveryTrials(trialsPerPoint: number, seed: number): readonly PlannedTrial[] {
  return Array.from({ length: trialsPerPoint }, (_, index) => index + 1).flatMap((trial) =>
    inFlightKills.map((kill) =>
      planTrial(
        {
          gate: 'reference',
          target: 'stripe.keyed',
          kill,
          recoveryKills: [],
          fault: noFault,
          world: 'none',
          caller: 'same-again',
        },
        trial,
        seed,
      ),
    ),
  );
}

/** Throws where the history holds no kill with a finished recovery after it. */
export function readRecovery(events: readonly HistoryEvent[]): {
  readonly recoveryMs: number;
  readonly restartMs: number;
} {
  const killed = events.find(({ event }) => event.type === 'kill-sent');
  const asked = events.find(
    ({ event }) => event.type === 'sent' && event.message.type === 'recover',
  );
  const done = events.find(({ event }) => event.type === 'said' && event.message.type === 'done');
  if (killed === undefined || asked === undefined || done === undefined) {
    throw new Error('expected a kill and a recovery that was done in the history, found not all');
  }
  return { recoveryMs: done.atMs - asked.atMs, restartMs: done.atMs - killed.atMs };
}
