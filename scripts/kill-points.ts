/**
 * The places where a subject is killed, as a page: from the tables of kill points and of what the wire
 * can find by itself.
 *
 *   npm run kill-points                the page
 *   npm run kill-points -- --write     renders docs/kill-points.md
 */
import { realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  type KillPointFacts,
  killPoints,
  type NamedKillPoint,
  railKillPoints,
  recoveryPointGlosses,
  recoveryPoints,
  wireKillPoints,
} from '../harness/model/kill-points.ts';
import { markdownTable } from '../harness/reports/markdown-table.ts';
import { notOnWire, standInsFor } from '../harness/reports/wire-points.ts';

const docPath = 'docs/kill-points.md';

/** `docs/kill-points.md`. */
export function renderDoc(): string {
  return [
    '# Kill points',
    '',
    'Where a subject is killed, what its ledger holds and what the service has seen when it dies there. Rendered by `npm run kill-points -- --write` from `harness/model/kill-points.ts` and `harness/reports/wire-points.ts`; a test compares this page with them.',
    '',
    '## Places in an effect’s life',
    '',
    'An **announced** point needs the subject’s help: it says that it is there and stands still. During the call it can’t, because a process that stands still sends nothing; there the **wire** sees that the whole request is under way.',
    '',
    pointsTable(killPoints),
    '',
    '## Places in the service',
    '',
    'Only a rail that can hold its own work can place these: a client killed in the middle of a statement that commits all the same, a request that the service has begun and finishes without its sender.',
    '',
    pointsTable(railKillPoints),
    '',
    '## Places on the wire',
    '',
    'For subjects that announce nothing. Every byte between subject and service passes the wire, which holds what it is told to hold and has the process killed on what it sees. It speaks HTTP/1.1, SMTP and PostgreSQL’s protocol; of any other it finds only the connection. Of a Postgres transaction it finds neither the first byte nor half of what commits it; of a mail not the first byte, and half of it is half of the message, without its final dot. What the process has recorded by then, the wire can’t see.',
    '',
    markdownTable(
      ['point', 'what had happened', 'in the ledger', 'at the service', 'stands for'],
      wireKillPoints.map(({ point, gloss, ledger, rail, standsFor }) => [
        code(point),
        gloss,
        ledger,
        rail,
        standsFor === null ? 'no named point' : code(standsFor),
      ]),
    ),
    '',
    'So each named point can be placed, or not, without a word from the subject:',
    '',
    markdownTable(
      ['named point', 'placed on the wire by'],
      killPoints.map(({ point, placedBy }) => [code(point), onWire(point, placedBy)]),
    ),
    '',
    'Half of a request is given to the service by a wire that has read the whole of it: a subject that marks a point of no return before its last byte has passed it then, and stands before it at `wire:connection` and `wire:first-byte`.',
    '',
    '## Places in a recovery',
    '',
    'Recovery is killed too, again and again. All of these are announced.',
    '',
    markdownTable(
      ['point', 'what had happened'],
      recoveryPoints.map((point) => [code(point), recoveryPointGlosses[point]]),
    ),
    '',
  ].join('\n');
}

function pointsTable(points: readonly KillPointFacts[]): string {
  return markdownTable(
    ['point', 'what had happened', 'in the ledger', 'at the service', 'placed by'],
    points.map(({ point, gloss, ledger, rail, placedBy }) => [
      code(point),
      gloss,
      ledger,
      rail,
      placedBy,
    ]),
  );
}

function onWire(point: NamedKillPoint, placedBy: KillPointFacts['placedBy']): string {
  const standIns = standInsFor().find((row) => row.point === point)?.by ?? [];
  const why = Object.entries(notOnWire).find(([named]) => named === point)?.[1];
  const own = placedBy === 'wire' ? ['itself'] : [];
  const by = [...own, ...standIns.map(code)].join(', ');
  return why === undefined ? by : `can’t be: ${why}`;
}

function code(text: string): string {
  return `\`${text}\``;
}

function main(): void {
  const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
  if (values.write) {
    writeFileSync(docPath, renderDoc());
    console.log(`wrote ${docPath}`);
  } else {
    console.log(renderDoc());
  }
}

const script = process.argv[1];
if (script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url)) main();
