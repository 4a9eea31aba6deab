/** For every place on the wire: what the wire must have seen of the killed process, and what rules it out. */
import { describe, expect, it } from 'vitest';
import type { ObservedEvent } from '../model/history.ts';
import { type WireKillPoint, wireKillPoints } from '../model/kill-points.ts';
import { readFacts } from './facts.ts';
import { wireContradicts } from './kill-wire.ts';
import { plantSound, toHistory } from './plant.ts';
import { wholeRequest } from './plant-wire.ts';

const sound = plantSound({ tier: 'keyed', kill: 'during_call:now' });

const [opened, began, whole] = wholeRequest(1, 1, 'key-1') as [
  ObservedEvent,
  ObservedEvent,
  ObservedEvent,
];
const at = { incarnation: 1, request: 1 } as const;
const forwarded: ObservedEvent = { type: 'forwarded', ...at };
const forwardedPart: ObservedEvent = { type: 'forwarded-part', ...at };
const replied: ObservedEvent = { type: 'replied', ...at, status: 200 };
const delivered: ObservedEvent = { type: 'delivered', ...at, status: 200, byWire: false };
const deliveredPart: ObservedEvent = { type: 'delivered-part', ...at, bytes: 1 };
const dropped: ObservedEvent = { type: 'dropped', ...at };

const asked = [opened, began, whole];
const answered = [...asked, forwarded, replied];
/** A look of the same process, answered before its call. */
const look: readonly ObservedEvent[] = [
  { type: 'request-began', incarnation: 1, connection: 9, request: 9 },
  {
    type: 'request-whole',
    incarnation: 1,
    request: 9,
    method: 'GET',
    path: '/v1/refunds',
    mutating: false,
    key: null,
    bodySha256: 'body-9',
  },
  { type: 'delivered', incarnation: 1, request: 9, status: 200, byWire: false },
];

const seen: Readonly<Record<WireKillPoint, readonly ObservedEvent[]>> = {
  'wire:connection': [opened],
  'wire:first-byte': [opened, began],
  'wire:half-request': [...asked, forwardedPart, dropped],
  'wire:whole-request': [...asked, dropped],
  'wire:applied': [...answered, dropped],
  'wire:first-reply-byte': [...answered, deliveredPart, dropped],
  'wire:half-reply': [...answered, deliveredPart, dropped],
  'wire:whole-reply': [...answered, delivered],
};

function contradiction(
  point: WireKillPoint,
  before: readonly ObservedEvent[],
  after: readonly ObservedEvent[] = [],
): string | null {
  const events: readonly ObservedEvent[] = [
    ...before,
    { type: 'kill-sent', incarnation: 1, pid: 7, signal: 'SIGKILL' },
    { type: 'exited', incarnation: 1, pid: 7, code: null, signal: 'SIGKILL' },
    ...after,
  ];
  const facts = readFacts(sound.spec, toHistory({ spec: sound.spec, events }));
  const killSent = before.length + 1;
  const death = { incarnation: 1, killSent, exited: killSent + 1 };
  return wireContradicts(facts, { point, death, neverCalls: false, readsPremises: false });
}

describe('the proof of a kill placed on the wire', () => {
  it.each(wireKillPoints.map(({ point }) => point))('agrees with what %s leaves', (point) => {
    expect(contradiction(point, seen[point])).toBeNull();
  });

  it.each<[WireKillPoint, string, readonly ObservedEvent[], (readonly ObservedEvent[])?]>([
    ['wire:connection', 'a byte was read', [opened, began]],
    ['wire:connection', 'a byte was read after the exit', [opened], [began]],
    ['wire:first-byte', 'the whole request was read', asked],
    ['wire:first-byte', 'no request had begun', [opened]],
    ['wire:first-byte', 'it began only after the exit', [opened], [began]],
    ['wire:half-request', 'nothing was given on', [...asked, dropped]],
    ['wire:half-request', 'it was given on after the kill', asked, [forwardedPart]],
    ['wire:half-request', 'all of it was given on', [...asked, forwardedPart, forwarded]],
    ['wire:whole-request', 'it was given on', [...asked, forwarded]],
    ['wire:whole-request', 'no whole request came', [opened, began, dropped]],
    ['wire:applied', 'the service had not answered', [...asked, forwarded]],
    ['wire:applied', 'its answer came back', [...answered, delivered]],
    ['wire:first-reply-byte', 'nothing came back', [...answered, dropped]],
    ['wire:half-reply', 'all of it came back', [...answered, deliveredPart, delivered]],
    ['wire:half-reply', 'it came back after the kill', answered, [deliveredPart]],
    ['wire:whole-reply', 'only a part came back', [...answered, deliveredPart]],
    ['wire:whole-reply', 'it came back after the kill', answered, [delivered]],
  ])('is none of %s where %s', (point, _why, before, after) => {
    expect(contradiction(point, before, after)).not.toBeNull();
  });

  it('lets a process have looked before it called', () => {
    for (const point of ['wire:half-request', 'wire:half-reply', 'wire:applied'] as const) {
      expect(contradiction(point, [...look, ...seen[point]]), point).toBeNull();
    }
  });
});
