/** What the figures have to be, as data; the table and the exit code follow from it. */
import type { BenchReport } from './report.ts';

export interface Goal {
  readonly about: string;
  readonly demand: string;
  readonly measured: (report: BenchReport) => number;
  readonly isMet: (measured: number, report: BenchReport) => boolean;
}

export const goals: readonly Goal[] = [
  {
    about: 'trials per second ÷ the floor of their starts',
    demand: '≥ 0.8',
    measured: (report) => report.ratio,
    isMet: (ratio) => ratio >= 0.8,
  },
  {
    about: 'CPU of the harness itself, ms a trial',
    demand: '≤ 15',
    measured: (report) => report.harnessCpuMsPerTrial,
    isMet: (ms) => ms <= 15,
  },
  {
    about: "the subject's start ÷ an empty Node's",
    demand: '≤ 4',
    measured: (report) => report.startRatio,
    isMet: (ratio) => ratio <= 4,
  },
  {
    about: 'recovery, median ms',
    demand: '< 50',
    measured: (report) => report.recoveryMs.p50,
    isMet: (ms) => ms < 50,
  },
  {
    about: 'gate latency with a full ledger ÷ with an empty one',
    demand: '≤ 1.2 at 1,000,000 intents',
    measured: (report) => report.at1MIntents.factors.gateLatency,
    isMet: (factor, report) => factor <= 1.2 && isFull(report),
  },
  {
    about: 'recovery with a full ledger ÷ with an empty one',
    demand: '≤ 1.2 at 1,000,000 intents',
    measured: (report) => report.at1MIntents.factors.recovery,
    isMet: (factor, report) => factor <= 1.2 && isFull(report),
  },
  {
    about: 'trials that did not meet their expectation',
    demand: '0',
    measured: (report) => report.trialsUnmet,
    isMet: (count) => count === 0,
  },
];

export interface Judged {
  readonly goal: Goal;
  readonly measured: number;
  readonly met: boolean;
}

export function judgeGoals(report: BenchReport): readonly Judged[] {
  return goals.map((goal) => {
    const measured = goal.measured(report);
    return { goal, measured, met: goal.isMet(measured, report) };
  });
}

/** A smaller ledger, or one the gate's verifier rejects, shows nothing about a million. */
function isFull({ at1MIntents }: BenchReport): boolean {
  return at1MIntents.intents >= 1_000_000 && at1MIntents.verified.verdict === 'holds';
}
