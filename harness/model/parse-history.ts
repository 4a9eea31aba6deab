/**
 * Reads the stored lines of one trial back into a History. In: the file's text. Out: its spec and
 * the events up to the first thing that is wrong, with `complete: false` and a `gap` that says what
 * and where. Pure; it never repairs, skips or reorders a line, because a history that was mended
 * could look like one that was whole.
 *
 * Bad content never throws, with one exception: without a readable header nobody can say which trial
 * this was, so there is nothing to return, and a UsageError names the line and what to do.
 */
import type { z } from 'zod';
import { UsageError } from './errors.ts';
import {
  type History,
  type HistoryEvent,
  historyEventSchema,
  historyLineSchema,
  witnessOf,
} from './history.ts';

/** Throws UsageError when the first line is no header of this format. */
export function parseHistory(text: string): History {
  const lines = text.split('\n');
  // A whole file ends with a line break, so the last piece is empty.
  if (lines.at(-1) === '') lines.pop();
  const spec = readHeader(lines[0]);
  const events: HistoryEvent[] = [];
  const cut = (gap: string): History => ({ spec, events, complete: false, gap });

  for (const [index, line] of lines.slice(1).entries()) {
    const at = `line ${index + 2}`;
    const read = readLine(line);
    switch (read.kind) {
      case 'unreadable':
        return cut(`${at}: expected an event or the footer, got ${read.why}`);
      case 'header':
        return cut(`${at}: expected an event or the footer, got a second header`);
      case 'event': {
        const wrong = misplaced(read.event, events.length + 1);
        if (wrong !== null) return cut(`${at}: ${wrong}`);
        events.push(read.event);
        break;
      }
      case 'footer':
        if (read.events !== events.length) {
          return cut(
            `${at}: the footer counts ${read.events} events, ${events.length} stand before it`,
          );
        }
        if (index + 2 < lines.length) {
          return cut(`line ${index + 3}: expected nothing after the footer, got more lines`);
        }
        return { spec, events, complete: true, gap: null };
      default:
        return read satisfies never;
    }
  }
  return cut(`line ${lines.length + 1}: expected the footer, got the end of the file`);
}

export type ReadLine =
  | { readonly kind: 'unreadable'; readonly why: string }
  | { readonly kind: 'header' }
  | { readonly kind: 'event'; readonly event: HistoryEvent }
  | { readonly kind: 'footer'; readonly events: number };

/** One line after the header. */
export function readLine(line: string): ReadLine {
  const json = readJson(line);
  if (json === undefined) return { kind: 'unreadable', why: `no JSON: ${shorten(line)}` };
  // Events are most of a file and have the helpful messages, so they go through their own schema.
  if (typeof json === 'object' && json !== null && 'n' in json) {
    const event = historyEventSchema.safeParse(json);
    return event.success
      ? { kind: 'event', event: event.data }
      : { kind: 'unreadable', why: `a broken event: ${firstIssue(event.error)}` };
  }
  const other = historyLineSchema.safeParse(json);
  if (!other.success) return { kind: 'unreadable', why: shorten(line) };
  if ('footer' in other.data) return { kind: 'footer', events: other.data.footer.events };
  return 'header' in other.data ? { kind: 'header' } : { kind: 'event', event: other.data };
}

function misplaced(event: HistoryEvent, expectedNumber: number): string | null {
  if (event.n !== expectedNumber) return `expected event ${expectedNumber}, got event ${event.n}`;
  const witness = witnessOf[event.event.type];
  return event.witness === witness
    ? null
    : `event ${event.n} "${event.event.type}" must be witnessed by ${witness}, not ${event.witness}`;
}

/** Throws UsageError when the line is no header of this format. */
export function readHeader(line: string | undefined): History['spec'] {
  const advice = 'expected the header of a trial in format 1; is this a history file?';
  if (line === undefined || line === '') {
    throw new UsageError(`history, line 1: ${advice} It is empty.`);
  }
  const json = readJson(line);
  if (json === undefined) {
    throw new UsageError(`history, line 1: ${advice} It is no JSON: ${shorten(line)}`);
  }
  const header = historyLineSchema.safeParse(json);
  if (!header.success || !('header' in header.data)) {
    throw new UsageError(`history, line 1: ${advice} It holds ${shorten(line)}`);
  }
  return header.data.header.spec;
}

/** Undefined when the text is no JSON; JSON itself has no undefined. */
function readJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? 'unknown' : `${issue.path.join('.')}: ${issue.message}`;
}

function shorten(line: string): string {
  return line.length <= 80 ? line : `${line.slice(0, 80)}…`;
}
