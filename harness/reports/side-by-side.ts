/**
 * The same crash twice, in words for somebody who has read nothing else: once under a gate that
 * holds, once under one that is found guilty.
 */
import { formatFault, formatKill } from '../model/cell.ts';
import { findingMeanings } from '../model/findings.ts';
import { glossKill } from '../model/kill-gloss.ts';
import type { KillPoint } from '../model/kill-points.ts';
import type { Results, TrialRecord } from '../model/results.ts';
import { cellOf, gatesThatLackRules } from '../results/read-cell.ts';
import { namesFound } from '../results/record.ts';
import { markdownTable } from './markdown-table.ts';
import { formatReachedPair } from './reached.ts';
import { rerunCommand } from './rerun.ts';

export interface SameCrash {
  readonly green: TrialRecord;
  readonly red: TrialRecord;
}

/** The pair that says most: the effect took effect and nobody was told. */
const tellingKills: readonly KillPoint[] = [
  'during_call:now',
  'after_call_before_commit',
  'during_call:later',
];

/** Undefined where no cell has both. */
export function findSameCrash(results: Pick<Results, 'trials' | 'gates'>): SameCrash | undefined {
  const lacking = gatesThatLackRules(results.gates);
  const greens = new Map(
    results.trials
      .filter((record) => record.verdict === 'holds' && !lacking.has(cellOf(record).gate))
      .map((record) => [crashOf(record), record] as const),
  );
  const pairs = results.trials
    .filter((record) => record.verdict === 'violated')
    .flatMap((red): readonly SameCrash[] => {
      const green = greens.get(crashOf(red));
      return green === undefined ? [] : [{ green, red }];
    });
  const isTelling = (pair: SameCrash, kill: KillPoint) => {
    const cell = cellOf(pair.red);
    return cell.kill === kill && cell.fault.fault === 'none' && cell.caller === 'same-again';
  };
  for (const kill of tellingKills) {
    const pair = pairs.find((candidate) => isTelling(candidate, kill));
    if (pair !== undefined) return pair;
  }
  return pairs[0];
}

export function renderSameCrash({ green, red }: SameCrash, results: Results): string {
  const cell = cellOf(green);
  const fault = formatFault(cell.fault);
  return [
    `A gate is asked, once, to perform one effect at \`${cell.target}\`. Killpoint kills its process with SIGKILL at \`${formatKill(cell)}\`: ${glossKill(cell)}.${fault === 'none' ? '' : ` The wire adds \`${fault}\`.`} A new process is started on the same ledger and told to recover, and then the caller asks again. Both gates below met exactly this.`,
    '',
    markdownTable(
      ['', 'gate', 'the gate says', 'the service’s journal shows', 'verdict'],
      [row('green', green), row('red', red)],
    ),
    '',
    ...namesFound(red).map((name) => `What \`${name}\` means: ${findingMeanings[name]}.`),
    '',
    'See either for yourself:',
    '',
    '```sh',
    rerunCommand(green, results),
    rerunCommand(red, results),
    '```',
  ].join('\n');
}

function row(name: string, record: TrialRecord): readonly string[] {
  const { gate } = cellOf(record);
  const effects = record.o2?.effects ?? null;
  const findings = namesFound(record).join(', ');
  return [
    name,
    gate,
    saying(record),
    effects === null ? 'not read' : effects === 1 ? '1 effect' : `${effects} effects`,
    `${record.verdict}${findings === '' ? '' : `: ${findings}`} (${formatReachedPair(record)})`,
  ];
}

function saying(record: TrialRecord): string {
  const outcome = record.o2?.outcome ?? null;
  if (outcome === null) return 'nothing';
  const waits = outcome.disposition === 'surfaced' ? ', waits for a person' : '';
  return `${outcome.outcome}${waits}`;
}

/** The cell without its gate, and the trial's number. */
function crashOf(record: TrialRecord): string {
  return record.id.slice(record.id.indexOf('/'));
}
