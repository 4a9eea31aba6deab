/** What became of every mutant, as text and as the published page. Pure. */
import { markdownTable } from '../../harness/reports/markdown-table.ts';
import type { Mutant } from './mutate.ts';
import type { ShownByCell } from './show.ts';

export type Shown =
  | ({ readonly by: 'cell' } & ShownByCell)
  | { readonly by: 'test' }
  | { readonly by: 'nothing' };

export interface Judged {
  readonly mutant: Pick<Mutant, 'id' | 'kind'>;
  readonly shown: Shown;
}

/** At most this share may survive, whatever the reasons. */
export const mostSurvivors = 0.05;

export interface Summary {
  readonly mutants: number;
  readonly byCells: number;
  readonly byTests: number;
  readonly survivors: readonly { readonly id: string; readonly reason: string | null }[];
  /** Excused without a need: shown after all, or standing in no source. */
  readonly needless: readonly string[];
}

export function summarize(
  judged: readonly Judged[],
  excused: Readonly<Record<string, string>>,
): Summary {
  const by = (who: Shown['by']) => judged.filter(({ shown }) => shown.by === who);
  const survived = by('nothing').map(({ mutant }) => mutant.id);
  return {
    mutants: judged.length,
    byCells: by('cell').length,
    byTests: by('test').length,
    survivors: survived.map((id) => ({ id, reason: excused[id] ?? null })),
    needless: Object.keys(excused).filter((id) => !survived.includes(id)),
  };
}

/** Every survivor has its reason, none is excused in vain, and there are few enough. */
export function isGood({ mutants, survivors, needless }: Summary): boolean {
  return (
    mutants > 0 &&
    needless.length === 0 &&
    survivors.every(({ reason }) => reason !== null) &&
    survivors.length <= mostSurvivors * mutants
  );
}

export function renderText(summary: Summary): string {
  const { mutants, byCells, byTests, survivors, needless } = summary;
  const lines = [
    `${mutants} mutants = ${byCells} shown by cells + ${byTests} shown by the gate's tests + ${survivors.length} that nothing shows`,
    ...survivors.map(
      ({ id, reason }) => `  survives: ${id} (${reason ?? 'no reason is written down'})`,
    ),
    ...needless.map((id) => `  excused without a need: ${id}`),
  ];
  return `${lines.join('\n')}\n`;
}

export function renderPage(judged: readonly Judged[], summary: Summary): string {
  const kinds = [...new Set(judged.map(({ mutant }) => mutant.kind))];
  const rows = kinds.map((kind) => {
    const ofKind = judged.filter(({ mutant }) => mutant.kind === kind);
    const by = (who: Shown['by']) => ofKind.filter(({ shown }) => shown.by === who).length;
    return [kind, ...[ofKind.length, by('cell'), by('test'), by('nothing')].map(String)];
  });
  const behaving = judged.filter(({ mutant }) => mutant.kind !== 'edge-added');
  return `${[
    '# Mutants of the reference gate',
    'Made by `npm run mutants`: every legal edge of the state machine removed, every other one added, every guard of recovery negated, one at a time. Each is tried in Killpoint’s own cells first, where a violated trial shows it, and then in the gate’s tests. An edge that nothing takes shows in no cell, so added edges are tried in the tests alone.',
    markdownTable(
      ['mutants', 'made', 'shown by cells', 'shown by tests', 'shown by nothing'],
      rows,
    ),
    '## What nothing shows',
    summary.survivors.length === 0
      ? 'Nothing: every mutant is shown.'
      : summary.survivors
          .map(({ id, reason }) => `- \`${id}\`: ${reason ?? 'no reason is written down'}`)
          .join('\n'),
    '## What changes behaviour, and what showed it',
    markdownTable(
      ['mutant', 'shown by', 'findings'],
      behaving.map(({ mutant, shown }) => [
        `\`${mutant.id}\``,
        shown.by === 'cell'
          ? `\`${shown.cell}\``
          : shown.by === 'test'
            ? 'the gate’s tests'
            : 'nothing',
        shown.by === 'cell' ? shown.findings.join(', ') : '',
      ]),
    ),
  ].join('\n\n')}\n`;
}
