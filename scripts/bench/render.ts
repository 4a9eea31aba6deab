/** The report for people. Pure: the same report gives the same text. */
import Table from 'cli-table3';
import { judgeGoals } from './goals.ts';
import type { Quantiles, Spread } from './quantiles.ts';
import type { BenchReport } from './report.ts';

export function renderReport(report: BenchReport): string {
  return [
    `${headline(report)}\n`,
    `${figureTable(report)}\n`,
    `${goalTable(report)}\n`,
    ...(report.quick
      ? ['A quick run: it shows that everything can be measured, not how much it is.\n']
      : []),
  ].join('\n');
}

function headline({ environment, workers, seed, durationMs }: BenchReport): string {
  const { node, platform, cpus, cpuModel, loadBefore, loadAfter } = environment;
  return (
    `Node ${node}, ${platform}, ${cpus} × ${cpuModel}; ${workers} workers, seed ${seed}, ` +
    `${Math.round(durationMs / 1000)} s; load ${loadBefore} before, ${loadAfter} after`
  );
}

function figureTable(report: BenchReport): string {
  const { samples, spread, gateLatencyMs: latency, at1MIntents: full } = report;
  const table = newTable(['figure', 'value', 'least · median · most', 'samples']);
  const count = full.intents.toLocaleString('en');
  table.push(
    [
      'trials a second',
      report.trialsPerSecond,
      range(spread.trialsPerSecond),
      `${samples.trialsPerSecond} trials`,
    ],
    [
      "trials' worth of subject starts a second",
      report.subjectFloorPerSecond,
      range(spread.subjectFloorPerSecond),
      `${samples.subjectFloorPerSecond} starts`,
    ],
    [
      'the same of an empty Node',
      report.emptyFloorPerSecond,
      range(spread.emptyFloorPerSecond),
      `${samples.emptyFloorPerSecond} starts`,
    ],
    [
      'ratio: trials ÷ subject starts',
      report.ratio,
      range(spread.ratio),
      `${samples.ratio} blocks`,
    ],
    ['starts a trial', report.startsPerTrial, '', `${samples.trialsPerSecond} trials`],
    [
      "harness's own CPU, ms a trial",
      report.harnessCpuMsPerTrial,
      range(spread.harnessCpuMsPerTrial),
      `${samples.harnessCpuMsPerTrial} trials`,
    ],
    [
      '  user · system',
      `${report.harnessCpuSplit.userMs} · ${report.harnessCpuSplit.systemMs}`,
      '',
      '',
    ],
    [
      '  the starts alone',
      report.harnessCpuSplit.startsMs,
      '',
      `${samples.subjectFloorPerSecond} starts`,
    ],
    [
      'CPU of all processes, ms a trial: whole · starts alone',
      `${report.treeCpu.trialMs} · ${report.treeCpu.startsMs}`,
      '',
      `${samples.harnessCpuMsPerTrial} trials`,
    ],
    ['  starts ÷ whole', report.treeCpu.ratio, '', ''],
    [
      'yardstick: CPU of one empty Node, ms',
      report.emptyNodeCpuMs,
      '',
      `${samples.emptyFloorPerSecond} starts`,
    ],
    ['subject start, ms (median)', report.subjectStartMs, '', samples.subjectStartMs],
    ['empty Node start, ms (median)', report.emptyStartMs, '', samples.emptyStartMs],
    ['effect without the gate, ms', ...quantiles(latency.without)],
    ['effect through the gate, ms', ...quantiles(latency.with)],
    ['  added by the gate, ms', ...quantiles(latency)],
    ['recovery: recover → done, ms', ...quantiles(report.recoveryMs)],
    ['restart: SIGKILL → done, ms', ...quantiles(report.restartMs)],
    [`effect through the gate at ${count} intents, ms`, ...quantiles(full.gateLatencyMs)],
    [`recovery at ${count} intents, ms`, ...quantiles(full.recoveryMs)],
    ['  beside it on an empty ledger, ms', ...quantiles(full.empty.recoveryMs)],
    [`start at ${count} intents, ms`, ...quantiles(full.startMs)],
    ['  beside it on an empty ledger, ms', ...quantiles(full.empty.startMs)],
    [
      `prefill of ${count} intents, s`,
      (full.prefillMs / 1000).toFixed(1),
      '',
      `${full.ledgerMiB} MiB`,
    ],
    [
      '  verified as a whole, s',
      (full.verified.durationMs / 1000).toFixed(1),
      '',
      full.verified.verdict,
    ],
  );
  return table.toString();
}

function goalTable(report: BenchReport): string {
  const table = newTable(['goal', 'demanded', 'measured', '']);
  for (const { goal, measured, met } of judgeGoals(report)) {
    table.push([goal.about, goal.demand, measured, met ? 'met' : 'NOT MET']);
  }
  return table.toString();
}

function newTable(head: string[]) {
  return new Table({ head, style: { head: [], border: [] } });
}

function quantiles({ p50, p99, samples }: Quantiles): readonly [string, string, number] {
  return [`p50 ${p50}`, `p99 ${p99}`, samples];
}

function range({ least, median, most }: Spread): string {
  return `${least} · ${median} · ${most}`;
}
