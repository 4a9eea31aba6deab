/**
 * The shape of a history: what happened in which order, once times, pids, ports, tokens, ids and what
 * the seed draws are taken out. Two runs of one cell with the same shape took the same course. Pure.
 */
import { createHash } from 'node:crypto';
import type { History } from '../model/history.ts';

/** SHA-256 of the shape, in hex. */
export function shapeOf(history: History): string {
  // In one piece, since no name reaches over the end of a line: a quote always comes before it.
  const lines = history.events.map(({ event }) => `${JSON.stringify(event)}\n`).join('');
  return createHash('sha256').update(withoutNames(lines)).digest('hex');
}

/** Numbers that differ from run to run and mean nothing. */
const numbers = /"(pid|port|amountMinor|chainSeq|atMs)":-?[\d.]+/g;
/** Names that differ from run to run; the same name stays recognisable as the same. */
const madeUp =
  /(?:re|pi|req)_[0-9a-zA-Z]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}|lease-\d+-\d+|control-\d+|http:\/\/127\.0\.0\.1:\d+|\/[^"\\ ]*killpoint-[^"\\ ]*/g;
const pidLists = /"pids":\[[\d,]+\]/g;

function withoutNames(lines: string): string {
  const names = new Map<string, string>();
  return lines
    .replaceAll(numbers, '"$1":0')
    .replaceAll(pidLists, '"pids":[0]')
    .replaceAll(madeUp, (name) => {
      const known = names.get(name) ?? `name-${names.size + 1}`;
      names.set(name, known);
      return known;
    });
}
