/** One gate in one crash, in the few words a table has room for. Pure. */
import type { ComparedCell, ComparedTrial } from '../model/comparison.ts';
import { isMiss } from '../model/findings.ts';
import { tally } from './tabulate.ts';

/** What stands before a cell that ties the reference gate. */
const tieMark = '=';

/** How to read a cell, for the page it stands on. */
export const cellNotation: readonly string[] = [
  '`happened · 1 · holds · 12 ms`: what the gate said after the caller had asked again · its own effects in the service’s journal · the verdict · how long the new process took to recover.',
  '`surfaced`: it said that it can’t know and waits for a person; `working`: it says that it is still on it; `silent`: it said nothing.',
  '`1 +1 by hand`: other people made one besides. What was undone later stays in the journal.',
  `**two-effects**: a promise that was broken instead of \`holds\`. \`${tieMark}\` in front: it ties the reference gate, that is, both hold, said the same, and the journal shows the same.`,
  '`–`: no trial; the reasons stand at the end.',
];

/** `= happened · 1 · holds · 12 ms`; different endings of several trials one after the other. */
export function formatComparedCell({ standing, recoveryMs, trials }: ComparedCell): string {
  if (trials.length === 0) return '–';
  const endings = tally(trials.map(formatEnding)).map(([ending, count]) =>
    trials.length === 1 || count === trials.length ? ending : `${count} × ${ending}`,
  );
  return [
    ...(standing === 'ties' ? [tieMark] : []),
    endings.join('; '),
    ...(recoveryMs === null ? [] : [`· ${Math.round(recoveryMs)} ms`]),
  ].join(' ');
}

function formatEnding(trial: ComparedTrial): string {
  switch (trial.verdict) {
    case 'not-run':
      return 'not run';
    case 'inconclusive':
      return `proved nothing: ${trial.findings.filter(isMiss).join(', ')}`;
    case 'holds':
    case 'violated':
      return `${saidShort(trial)} · ${formatEffects(trial)} · ${formatVerdict(trial)}`;
    case 'excluded':
      return '–';
    default:
      return trial.verdict satisfies never;
  }
}

function saidShort({ outcome, disposition }: ComparedTrial): string {
  if (outcome === null) return 'silent';
  if (disposition === 'surfaced') return 'surfaced';
  return disposition === 'working' ? 'working' : outcome;
}

function formatEffects({ effects, byOthers }: ComparedTrial): string {
  if (effects === null) return '?';
  return byOthers === null || byOthers === 0 ? String(effects) : `${effects} +${byOthers} by hand`;
}

/** What nobody expected is said aloud, since the rest of the table is derived before it runs. */
function formatVerdict({ verdict, findings, meetsExpectation }: ComparedTrial): string {
  const words = verdict === 'holds' ? 'holds' : findings.map((name) => `**${name}**`).join(', ');
  return meetsExpectation === true ? words : `${words} (NOT AS EXPECTED)`;
}
