/** What changes during the outage of a planted trial, and what it leaves for everybody to see. */
import type { WorldEvent } from '../model/cell.ts';
import type { ObservedEvent } from '../model/history.ts';
import { submittedPremises, whatEnds } from '../model/mandate.ts';
import type { TrialSpec } from '../model/trial.ts';
import { effect } from './plant-outcomes.ts';
import type { EventOf } from './seen.ts';

/** What the first decision relied on is handed in with every submit of it. */
export function withPremises(
  spec: TrialSpec,
  events: readonly ObservedEvent[],
): readonly ObservedEvent[] {
  const kinds = submittedPremises(spec.declaration, spec.cell.world);
  const premises = kinds.map((kind) => ({ kind, fact: 'refunded', value: 0 }));
  return events.map((event) =>
    event.type === 'sent' && event.message.type === 'submit' && event.decision === undefined
      ? { ...event, message: { ...event.message, premises } }
      : event,
  );
}

export function outage(spec: TrialSpec): readonly ObservedEvent[] {
  const { world } = spec.cell;
  return [
    { type: 'phase', phase: 'outage' },
    ...(world === 'none' ? [] : [changeOf(world, premisesAfter(spec))]),
  ];
}

function changeOf(world: WorldEvent, premises: EventOf<'world'>['premises']): ObservedEvent {
  return {
    type: 'world',
    event: world,
    clockOffsetMs: clockOffsets[world] ?? 0,
    premises,
    authority: authorities[world] ?? 'live',
  };
}

const clockOffsets: Partial<Record<WorldEvent, number>> = {
  'authority-expired': 360_000,
  'long-outage': 90_000_000,
  'outage-in-window': 77_760_000,
};

const authorities: Partial<Record<WorldEvent, EventOf<'world'>['authority']>> = {
  'authority-revoked': 'dead',
  'authority-expired': 'expired',
  'authority-unreachable': 'unreachable',
};

function premisesAfter(spec: TrialSpec): EventOf<'world'>['premises'] {
  if (!reliesOnPremises(spec)) return null;
  return maySendAfter(spec) ? 'hold' : 'stale';
}

export function reliesOnPremises({ declaration, cell }: TrialSpec): boolean {
  return submittedPremises(declaration, cell.world).length > 0;
}

/** Whether whoever comes after the outage may still send for the first decision. */
export function maySendAfter({ declaration, cell }: TrialSpec): boolean {
  return whatEnds(declaration, cell.world) === 'nothing';
}

/** What other people made that the journal shows besides the positive control. */
export function effectsByOthers({ cell }: TrialSpec): EventOf<'journal'>['effects'] {
  return cell.world === 'done-by-hand' ? [{ ...effect('re_9'), stamp: null, actor: 'person' }] : [];
}
