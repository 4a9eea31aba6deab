/**
 * The shape of a history: what happened in which order, once times, pids, ports, tokens, ids and what
 * the seed draws are taken out. Two runs of one cell with the same shape took the same course. Pure.
 */
import { createHash } from 'node:crypto';
import type { History } from '../model/history.ts';

/** SHA-256 of the shape, in hex. */
export function shapeOf(history: History): string {
  const names = new Map<string, string>();
  const hash = createHash('sha256');
  for (const { event } of history.events)
    hash.update(`${withoutNames(JSON.stringify(event), names)}\n`);
  return hash.digest('hex');
}

/** Numbers that differ from run to run and mean nothing. */
const numbers = /"(pid|port|amountMinor|chainSeq|atMs)":-?[\d.]+/g;
/** Names that differ from run to run; the same name stays recognisable as the same. */
const madeUp =
  /(?:re|pi|req)_[0-9a-zA-Z]+|[0-9a-f]{16,}|lease-\d+-\d+|control-\d+|http:\/\/127\.0\.0\.1:\d+|\/[^"\\ ]*killpoint-[^"\\ ]*/g;
const pidLists = /"pids":\[[\d,]+\]/g;

function withoutNames(line: string, names: Map<string, string>): string {
  return line
    .replaceAll(numbers, '"$1":0')
    .replaceAll(pidLists, '"pids":[0]')
    .replaceAll(madeUp, (name) => {
      const known = names.get(name) ?? `name-${names.size + 1}`;
      names.set(name, known);
      return known;
    });
}
