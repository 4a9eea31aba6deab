/**
 * What can change while nobody runs, as data: who changes it, what that ends, and which premises the
 * caller handed in with the request. The expectation, the planner and the checkers read it.
 */
import type { RailWorldEvent } from '../../adapters/rail.ts';
import type { Premise } from '../../adapters/target.ts';

export interface WorldFacts {
  readonly meaning: string;
  /** What is dead or stale from then on, so that nothing may be sent that relies on it. */
  readonly ends: 'nothing' | 'authority' | 'premises';
  /** The kinds of premises the request is submitted with; empty: with none. */
  readonly premises: readonly Premise['kind'][];
  /** What the rail performs; null where the harness does it: to the lease, or to the clocks. */
  readonly performs: RailWorldEvent | null;
}

const bothKinds = ['value-equals', 'version-unchanged'] as const;

export const worldTable = {
  none: fact('nothing changes', {}),
  'done-by-hand': fact('a person performs the same effect through another credential', {
    ends: 'premises',
    premises: bothKinds,
    performs: 'done-by-hand',
  }),
  'undone-by-hand': fact('a person undoes the effect that is there', {
    premises: bothKinds,
    performs: 'undone-by-hand',
  }),
  'premise-changed': fact('a fact the decision relied on changes', {
    ends: 'premises',
    premises: bothKinds,
    performs: 'premise-changed',
  }),
  'premise-changed-and-back:value': fact(
    'a fact changes and changes back, and the decision relied on its value',
    { premises: ['value-equals'], performs: 'premise-changed-and-back' },
  ),
  'premise-changed-and-back:version': fact(
    'a fact changes and changes back, and the decision relied on nobody having touched it',
    { ends: 'premises', premises: ['version-unchanged'], performs: 'premise-changed-and-back' },
  ),
  'unrelated-change': fact('something changes that no premise speaks of', {
    premises: bothKinds,
    performs: 'unrelated-change',
  }),
  'authority-revoked': fact('the lease is revoked', { ends: 'authority' }),
  'authority-expired': fact('the clocks pass the end of the lease', { ends: 'authority' }),
  'authority-unreachable': fact('the authority can’t be reached any more', { ends: 'authority' }),
  'long-outage': fact('the clocks pass the end of the dedupe window', {}),
  'outage-in-window': fact('the clocks move to just inside the dedupe window', {}),
  'rail-restarted': fact('the service restarts: what it had not finished it never will', {
    performs: 'rail-restarted',
  }),
} as const satisfies Readonly<Record<string, WorldFacts>>;

export type WorldEvent = keyof typeof worldTable;
export const worldEvents = Object.keys(worldTable) as readonly WorldEvent[] as readonly [
  WorldEvent,
  ...WorldEvent[],
];

/** The worlds in which the outage is measured against the dedupe window, on the service's clock too. */
export function movesServiceClock(world: WorldEvent): boolean {
  return world === 'long-outage' || world === 'outage-in-window';
}

/** How much of a declared window an outage inside it takes; the rest is more than any margin a gate keeps. */
export const shareOfWindow = 0.9;
/** In a shorter window the time that a trial itself takes would count. */
export const shortestWindowToStayInMs = 10 * 60 * 1000;

export function worldFacts(world: WorldEvent): WorldFacts {
  return worldTable[world];
}

/** How long a lease lives that is to expire, and how far past its end the clocks are moved. */
export const leaseLifeMs = 5 * 60 * 1000;
export const beyondLeaseMs = 60 * 1000;

function fact(meaning: string, more: Partial<Omit<WorldFacts, 'meaning'>>): WorldFacts {
  return { meaning, ends: 'nothing', premises: [], performs: null, ...more };
}
