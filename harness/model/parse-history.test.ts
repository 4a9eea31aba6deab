import { describe, expect, it } from 'vitest';
import { UsageError } from './errors.ts';
import { parseHistory } from './parse-history.ts';
import { plain } from './testing/classes.ts';
import type { TrialSpec } from './trial.ts';

const spec: TrialSpec = {
  format: 1,
  id: 'reference/stripe.keyed/before_wal/none/none/same-again/1',
  cell: {
    gate: 'reference',
    target: 'stripe.keyed',
    kill: 'before_wal',
    recoveryKills: [],
    fault: { fault: 'none' },
    world: 'none',
    caller: 'same-again',
  },
  trial: 1,
  seed: 7,
  gate: { command: ['node', 'gate.js'], lacks: [] },
  target: { options: {}, railOptions: {} },
  declaration: plain,
  draws: {
    examples: 1,
    holdMs: 0,
    killJitterMs: 0,
    stormOverlapsRecovery: false,
    lateBeforeLook: false,
    lostReply: 0,
  },
  bounds: { readyMs: 1, answerMs: 1, drainMs: 1, settleMs: 1 },
};
const header = JSON.stringify({ header: { format: 1, spec } });
const first = line(1, 'harness', { type: 'phase', phase: 'prepare' });
const second = line(2, 'wire', { type: 'held', incarnation: 1, request: 1 });
const footer = JSON.stringify({ footer: { events: 2 } });

function line(n: number, witness: string, event: object): string {
  return JSON.stringify({ n, atMs: n, witness, event });
}

function parse(...lines: readonly string[]) {
  return parseHistory(lines.map((text) => `${text}\n`).join(''));
}

describe('a stored history', () => {
  it('is complete with a header, numbered events and a footer that counts them', () => {
    const history = parse(header, first, second, footer);
    expect(history).toMatchObject({ spec, complete: true, gap: null });
    expect(history.events.map(({ n }) => n)).toEqual([1, 2]);
  });

  it.each([
    ['no footer', [header, first, second], 'line 4: expected the footer'],
    ['a missing event', [header, second, footer], 'line 2: expected event 1, got event 2'],
    ['events out of order', [header, second, first, footer], 'line 2: expected event 1'],
    ['an event twice', [header, first, first, footer], 'line 3: expected event 2, got event 1'],
    ['a footer that counts others', [header, first, footer], 'counts 2 events, 1 stand before it'],
    ['lines after the footer', [header, first, second, footer, first], 'line 5: expected nothing'],
    ['a second header', [header, first, header], 'line 3: expected an event or the footer, got a'],
    ['half a line', [header, first, second.slice(0, 20)], 'line 3: expected an event'],
    ['an empty line', [header, first, '', second, footer], 'line 3: expected an event'],
    [
      'an event nobody knows',
      [header, first, line(2, 'wire', { type: 'guess' })],
      'line 3: expected an event or the footer, got a broken event: event.type',
    ],
    [
      'an event with a field too many',
      [header, line(1, 'harness', { type: 'phase', phase: 'prepare', more: 1 })],
      'a broken event',
    ],
    [
      'another witness than its type has',
      [header, first, line(2, 'harness', { type: 'held', incarnation: 1, request: 1 }), footer],
      'line 3: event 2 "held" must be witnessed by wire, not harness',
    ],
  ])('is incomplete with %s', (_title, lines, gap) => {
    const history = parse(...lines);
    expect(history.complete).toBe(false);
    expect(history.gap).toContain(gap);
  });

  it('keeps the events before the gap', () => {
    expect(parse(header, first, 'garbage', second, footer).events).toHaveLength(1);
  });

  it('is no history without a readable header', () => {
    const notHeaders = ['', 'garbage', first, '{"header":{"format":2}}'];
    for (const text of notHeaders) {
      expect(() => parse(text, first, footer)).toThrow(UsageError);
      expect(() => parse(text, first, footer)).toThrow(/^history, line 1: expected the header/);
    }
    expect(() => parseHistory('')).toThrow(UsageError);
  });
});
