/** A certificate for people: the end of a certification in the terminal, and the page beside it. Pure. */
import { styleText } from 'node:util';
import { formatCellId } from '../model/cell.ts';
import type { Certificate, Conclusion } from '../model/certificate.ts';
import type { TrialRecord } from '../model/results.ts';
import { cellOf } from '../results/read-cell.ts';
import { markdownTable } from './markdown-table.ts';
import { formatDemandedPair, formatReachedPair, notation } from './reached.ts';
import { counted } from './rerun.ts';
import type { TerminalOptions } from './terminal.ts';

export interface CertificateRerun {
  /** The command that runs one cell of it again. */
  readonly only: (cell: string) => string;
}

const standings: Readonly<Record<Conclusion['capabilities'][number]['standing'], string>> = {
  held: 'held',
  refuted: 'refuted',
  'not-exercised': 'not exercised, counts as absent',
};

export function formatProven({ proven }: Pick<Conclusion, 'proven'>): string {
  switch (proven.kind) {
    case 'class':
      return proven.class;
    case 'nothing':
      return 'nothing: unsafe behind any gate';
    case 'undetermined':
      return `not determined: ${proven.why}`;
    default:
      return proven satisfies never;
  }
}

/** Declared and proven, why they differ, the cell, the command: in this order, and then the rest. */
export function renderCertificateEnd(
  certificate: Certificate,
  rerun: CertificateRerun,
  options: Pick<TerminalOptions, 'colour'>,
): string {
  const paint = (style: 'green' | 'red' | 'yellow', text: string) =>
    options.colour ? styleText(style, text) : text;
  const style = { 'as-declared': 'green', less: 'red', undetermined: 'yellow' } as const;
  const lines = [
    `declared  ${certificate.declared.class}`,
    `proven    ${paint(style[certificate.standing], formatProven(certificate))}`,
    ...differenceLines(certificate, rerun),
    '',
    ...capabilityLines(certificate),
    ...surfacedLines(certificate),
  ];
  return `${lines.join('\n')}\n`;
}

function differenceLines(
  { difference }: Certificate,
  { only }: CertificateRerun,
): readonly string[] {
  if (difference === null) return [];
  const { why, shownBy } = difference;
  if (shownBy === null) return [`why       ${why}`];
  const effects =
    shownBy.effects === null ? 'journal not read' : counted(shownBy.effects, 'effect');
  return [
    `why       ${why}`,
    `cell      ${shownBy.cell}`,
    `          ${effects} in the journal, the gate says ${shownBy.outcome ?? 'nothing'}; demanded ${shownBy.demanded ?? 'nothing'}, reached ${shownBy.reached}`,
    ...shownBy.findings.map((finding) => `          ${finding}`),
    `command   ${only(shownBy.cell)}`,
  ];
}

function capabilityLines({ capabilities, notExercised }: Certificate): readonly string[] {
  return [
    ...capabilities.map(
      ({ name, standing, trials }) =>
        `${name.padEnd(9)} ${standings[standing]}${standing === 'held' ? ` in ${counted(trials, 'trial')}` : ''}`,
    ),
    ...(notExercised.length === 0 ? [] : ['Not exercised, since the rail can’t show it:']),
    ...notExercised.map(({ reason, cells }) => `  ${counted(cells, 'cell')}: ${reason}`),
  ];
}

function surfacedLines({ surfaced }: Certificate): readonly string[] {
  if (surfaced.length === 0) return ['No cell has to be surfaced to a person.'];
  return [
    'To be surfaced to a person, when it was killed at:',
    ...surfaced.flatMap(({ kill, gloss, cells, when, asks }) => [
      `  ${kill} (${gloss}), ${counted(cells, 'cell')}${when.length === 0 ? '' : `, with ${when.join(', ')}`}`,
      `    ${asks}`,
    ]),
  ];
}

export function renderCertificatePage(certificate: Certificate, rerun: CertificateRerun): string {
  const { target, rail, tool, environment } = certificate;
  const sections = [
    `# Certificate: ${target.name}`,
    [
      `- declared: **${certificate.declared.class}**`,
      `- proven: **${formatProven(certificate)}**`,
      ...differencePage(certificate, rerun),
    ].join('\n'),
    `Made by ${tool.name} ${tool.version} with Node ${environment.node} on ${environment.platform}, seed ${certificate.seed}${certificate.againstUrl === null ? '' : `, against ${certificate.againstUrl}`}. Made again by:`,
    `    ${certificate.command}`,
    ...(certificate.cells === null
      ? []
      : [
          `Only ${counted(certificate.cells.length, 'cell')} of the plan: ${certificate.cells.join(', ')}.`,
        ]),
    'Judged again from the histories beside it, without running the target, by `npx killpoint judge certificate.json`.',
    '## What it is about',
    markdownTable(
      ['what', 'module', 'SHA-256 of its files'],
      [
        ['target', target.module, target.sha256],
        ['rail', rail.module, rail.sha256],
      ],
    ),
    '## What was declared',
    `\`\`\`json\n${JSON.stringify(certificate.declared.declaration, null, 2)}\n\`\`\``,
    markdownTable(
      ['capability', 'shown', 'trials'],
      certificate.capabilities.map(({ name, standing, trials }) => [
        name,
        standings[standing],
        String(trials),
      ]),
    ),
    ...notExercisedPage(certificate),
    '## What has to be surfaced to a person',
    surfacedPage(certificate),
    '## Every cell',
    notation,
    ...certificate.stages.flatMap(({ without, results }) => [
      without.length === 0 ? '### As declared' : `### Without ${without.join(', ')}`,
      cellsPage(results.trials),
    ]),
  ];
  return `${sections.join('\n\n')}\n`;
}

function differencePage(
  { difference }: Certificate,
  { only }: CertificateRerun,
): readonly string[] {
  if (difference === null) return [];
  const { why, shownBy } = difference;
  return [
    `- why: ${why}`,
    ...(shownBy === null
      ? []
      : [
          `- cell: \`${shownBy.cell}\`, demanded ${shownBy.demanded ?? 'nothing'}, reached ${shownBy.reached}`,
          `- command: \`${only(shownBy.cell)}\``,
        ]),
  ];
}

function notExercisedPage({ notExercised }: Certificate): readonly string[] {
  if (notExercised.length === 0) return [];
  return [
    'Not exercised, since the rail can’t show it:',
    notExercised.map(({ reason, cells }) => `- ${counted(cells, 'cell')}: ${reason}`).join('\n'),
  ];
}

function surfacedPage({ surfaced }: Certificate): string {
  if (surfaced.length === 0) return 'Nothing.';
  return markdownTable(
    ['killed at', 'what had happened', 'and besides', 'cells', 'what it asks of a person'],
    surfaced.map(({ kill, gloss, cells, when, asks }) => [
      kill,
      gloss,
      when.join(', ') || 'nothing',
      String(cells),
      asks,
    ]),
  );
}

function cellsPage(trials: readonly TrialRecord[]): string {
  const ran = trials.filter(({ verdict }) => verdict !== 'excluded');
  const table = markdownTable(
    ['cell', 'verdict', 'demanded', 'reached', 'findings', 'history'],
    ran.map((record) => [
      formatCellId(cellOf(record)).split('/').slice(2).join('/'),
      record.verdict,
      formatDemandedPair(record) ?? '',
      formatReachedPair(record),
      record.findings.map(({ finding }) => finding).join(', '),
      record.historySha256?.slice(0, 16) ?? '',
    ]),
  );
  const excluded = trials.length - ran.length;
  return `${table}\n\n${counted(excluded, 'cell')} can’t exist for such a target or behind this rail.`;
}
