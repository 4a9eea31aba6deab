/** Which cells sound histories are planted of. Data. */
import { allArmedFaults, type CallerBehaviour, worldEvents } from '../model/cell.ts';
import { expectScenario } from '../model/expectation.ts';
import { type KillPoint, killPointNames } from '../model/kill-points.ts';
import { type Plot, specOf, type Tier } from './plant-plot.ts';

const tiers: readonly Tier[] = ['keyed', 'blind'];

/** The faults whose course on the wire `plant-wire.ts` can tell. */
const toldFaults = allArmedFaults.filter(
  ({ fault }) =>
    fault === 'none' ||
    [
      'request-lost',
      'reply-lost',
      'error-before-apply',
      'error-after-apply',
      'late-apply',
      'partition',
    ].includes(fault),
);

/** Callers that ask for the one decision, or for another amount of it. */
const ofOneDecision: readonly CallerBehaviour[] = ['same-again', 'changed-amount', 'storm'];
const otherCallers: readonly CallerBehaviour[] = [
  'fresh-id',
  'second-session',
  'second-legitimate',
  'invented-reason',
  'gives-up',
  'over-cap',
];

/**
 * Every fault of every kill, where nothing changes and the decision alone is asked for: all that a keyed
 * and a blind target can meet.
 */
export const grid: readonly Plot[] = tiers.flatMap((tier) =>
  killPointNames.flatMap((kill) =>
    toldFaults.flatMap((fault) =>
      ofOneDecision.flatMap((caller) => reachable({ tier, kill, fault, caller })),
    ),
  ),
);

const kills: readonly KillPoint[] = [...killPointNames, 'during_call:running'];

const callersByKill: readonly Plot[] = tiers.flatMap((tier) =>
  kills.flatMap((kill) => [
    ...otherCallers.flatMap((caller) => reachable({ tier, kill, caller })),
    ...(kill === 'during_call:running'
      ? ofOneDecision.flatMap((caller) => reachable({ tier, kill, caller }))
      : []),
  ]),
);

const worldsByKill: readonly Plot[] = tiers.flatMap((tier) =>
  kills.flatMap((kill) =>
    worldEvents
      .filter((world) => world !== 'none')
      .flatMap((world) => reachable({ tier, kill, world })),
  ),
);

/** World, caller and fault or a second kill together. */
const triples: readonly Plot[] = [
  {
    tier: 'keyed',
    kill: 'after_wal_before_call',
    fault: { fault: 'reply-lost', phase: 'resend' },
    world: 'unrelated-change',
    caller: 'fresh-id',
  },
  {
    tier: 'keyed',
    kill: 'before_wal',
    fault: { fault: 'request-lost', phase: 'caller' },
    world: 'premise-changed-and-back:value',
  },
  {
    tier: 'keyed',
    kill: 'after_commit_before_ack',
    fault: { fault: 'late-apply', phase: 'first-send' },
    world: 'premise-changed',
    caller: 'storm',
  },
  {
    tier: 'keyed',
    kill: 'during_call:now',
    world: 'authority-revoked',
    caller: 'second-legitimate',
  },
  { tier: 'keyed', kill: 'during_call:now', world: 'done-by-hand', caller: 'changed-amount' },
  { tier: 'keyed', kill: 'before_wal', world: 'premise-changed', caller: 'invented-reason' },
  {
    tier: 'keyed',
    kill: 'after_call_before_commit',
    fault: { fault: 'reply-lost', phase: 'first-send' },
    caller: 'over-cap',
  },
  {
    tier: 'keyed',
    kill: 'during_call:later',
    recoveryKills: ['owned'],
    world: 'authority-expired',
    caller: 'second-session',
  },
  { tier: 'blind', kill: 'before_wal', world: 'authority-revoked', caller: 'over-cap' },
  { tier: 'blind', kill: 'during_call:now', world: 'authority-expired', caller: 'gives-up' },
  {
    tier: 'blind',
    kill: 'during_call:running',
    recoveryKills: ['owned'],
    caller: 'second-legitimate',
  },
];

/**
 * Beside the grid: other callers and other worlds at every kill, a recovery that is killed too, a first
 * that is only paused, a recovery that is met by another, and two that race with the second in front.
 */
export const furtherPlots: readonly Plot[] = [
  ...callersByKill,
  ...worldsByKill,
  ...triples,
  { tier: 'keyed', kill: 'after_wal_before_call', recoveryKills: ['owned'] },
  ...tiers.flatMap((tier): Plot[] => [
    { tier, kill: 'before_wal', caller: 'over-cap', secondWins: true },
    { tier, kill: 'before_wal', paused: true },
    { tier, kill: 'after_wal_before_call', paused: true },
    { tier, kill: 'after_call_before_commit', paused: true },
    { tier, kill: 'after_commit_before_ack', paused: true },
    { tier, kill: 'after_wal_before_call', rivalAt: 'owned' },
    { tier, kill: 'during_call:now', rivalAt: 'owned' },
    { tier, kill: 'during_call:now', recoveryKills: ['owned'], rivalAt: 'owned' },
  ]),
];

/** Nothing where the cell can't exist; a storm both after and during recovery, where one can be told. */
function reachable(plot: Plot): readonly Plot[] {
  const { declaration, cell } = specOf(plot);
  if (expectScenario(declaration, cell).kind === 'cannot-meet') return [];
  return plot.caller === 'storm' ? [plot, { ...plot, overlaps: true }] : [plot];
}
