/**
 * The history that `parseHistory` would read from lines just written, without reading most of them
 * again. In: the lines, and the events they were made of. Out: the same History, event for event. What
 * the harness built itself, or has checked when it heard it, is taken as it is; whatever a rail or a
 * target gave us may be anything, so it is read from its line and checked like a stranger's. Pure.
 */
import {
  type EventType,
  type History,
  type HistoryEvent,
  type ObservedEvent,
  observedEventSchema,
} from './history.ts';
import { parseHistory, readHeader, readLine } from './parse-history.ts';

/** `lines`: header, one an event, footer. Throws UsageError when the first is no header. */
export function recallHistory(
  lines: readonly string[],
  observed: readonly HistoryEvent[],
): History {
  const events: HistoryEvent[] = [];
  for (const [index, { event, ...place }] of observed.entries()) {
    if (checkedBefore.has(event.type)) {
      events.push({ ...place, event: inSchemaOrder(event) });
      continue;
    }
    const read = readLine(lines[index + 1] ?? '');
    // Where anything is wrong, the reader of files is to say what.
    if (read.kind !== 'event') return parseHistory(`${lines.join('\n')}\n`);
    events.push(read.event);
  }
  return { spec: readHeader(lines[0]), events, complete: true, gap: null };
}

/**
 * Events of nothing but the harness's own words and numbers, or of a subject's words that their schema
 * has accepted. A type that is not listed is read again, which is never wrong, only slower.
 */
const checkedBefore: ReadonlySet<EventType> = new Set<EventType>([
  'phase',
  'spawned',
  'sent',
  'said',
  'observed',
  'kill-armed',
  'point-reached',
  'kill-sent',
  'exited',
  'survivors',
  'drained',
  'connection',
  'request-began',
  'request-whole',
  'held',
  'forwarded',
  'replied',
  'delivered',
  'dropped',
]);

const keysOf: ReadonlyMap<string, readonly string[]> = new Map(
  observedEventSchema.options.map(({ shape }) => [shape.type.value, Object.keys(shape)]),
);

/** As a schema hands it out, whatever the order it was put together in: a history's shape depends on it. */
function inSchemaOrder(event: ObservedEvent): ObservedEvent {
  const members = Object.entries(event);
  const keys = keysOf.get(event.type) ?? [];
  if (members.every(([key], index) => key === keys[index])) return event;
  const sorted = members.toSorted(([left], [right]) => keys.indexOf(left) - keys.indexOf(right));
  return Object.fromEntries(sorted) as ObservedEvent;
}
