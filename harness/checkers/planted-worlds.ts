/** Planted histories of a world that changes: what was sent in spite of it, refused because of it, or never changed. */
import type { Outcome } from '../../gate/gate.ts';
import type { WorldEvent } from '../model/cell.ts';
import type { ObservedEvent } from '../model/history.ts';
import type { KillPoint } from '../model/kill-points.ts';
import { type PlantedTrial, plantSound } from './plant.ts';
import {
  alter,
  alwaysSays,
  another,
  answers,
  answersTo,
  claims,
  insertBefore,
  journalHolds,
  type Planting,
  says,
  without,
  withoutCalls,
} from './plant-change.ts';
import { effect, secondEffect, secondOutcome } from './plant-outcomes.ts';
import { secondId } from './plant-parts.ts';
import { exchange, exchangeSecond } from './plant-wire.ts';
import type { EventOf } from './seen.ts';

const happened = claims({ claim: 'H', effects: 1 });
const refused = claims({ claim: 'R', effects: 0 });
const surfaced = claims({ claim: 'U', effects: 1 });

const sentAllTheSame: readonly Planting[] = [
  {
    finding: 'dead-authority',
    title: 'recovery sends the key again after the lease was revoked',
    trial: resent('during_call:now', 'authority-revoked'),
  },
  {
    finding: 'dead-authority',
    title: 'recovery sends the key again after the lease had run out',
    trial: resent('during_call:never', 'authority-expired'),
  },
  {
    finding: 'dead-authority',
    title: 'recovery sends the key again though the authority can’t be reached',
    trial: resent('after_wal_before_call', 'authority-unreachable'),
  },
  {
    finding: 'dead-authority',
    title: 'the caller asks again, and it is sent under a revoked lease',
    trial: sentForCaller('authority-revoked'),
  },
  {
    finding: 'dead-authority',
    title: 'a second decision is sent under a revoked lease',
    trial: secondSent(),
  },
  {
    finding: 'stale-premise',
    title: 'it had been done by hand, and is sent when the caller asks again',
    trial: sentForCaller('done-by-hand'),
  },
  {
    finding: 'stale-premise',
    title: 'recovery sends the key again after a premise had changed',
    trial: resent('after_call_before_commit', 'premise-changed'),
  },
  {
    finding: 'stale-premise',
    title: 'a premise is as it was, but was touched meanwhile, and the decision relied on that',
    trial: sentForCaller('premise-changed-and-back:version'),
  },
  {
    finding: 'two-effects',
    title: 'what a person undid is done again when the caller asks again',
    trial: doneAgain(),
  },
];

const keyedRevoked = keyedIn('during_call:now', 'authority-revoked');
const keyedUnrelated = keyedIn('during_call:now', 'unrelated-change');
const blindUnrelated = plantSound({ tier: 'blind', kill: 'before_wal', world: 'unrelated-change' });

const wronglyRefused: readonly Planting[] = [
  {
    finding: 'silent-loss',
    title: 'the lease is dead, and the gate refuses what is there',
    alongside: ['guessed'],
    trial: answers(
      alwaysSays(keyedRevoked, (outcome) => withoutReceipt(refused(outcome))),
      refused,
    ),
  },
  {
    finding: 'needless-refusal',
    title: 'the lease is dead, and a caller is refused what the gate knows to have happened',
    trial: answers(keyedIn('after_commit_before_ack', 'authority-revoked'), refused),
  },
  {
    finding: 'needless-refusal',
    title: 'refused because of a change that no premise speaks of',
    alongside: ['lost-effect'],
    trial: journalHolds(
      answers(says(neverSent(blindUnrelated), 'O2', refused), refused),
      ['O2'],
      [],
    ),
  },
  {
    finding: 'needless-ambiguity',
    title: 'its own effect counts as a changed premise, so that nobody sends the key again',
    trial: answers(
      alwaysSays(withoutCalls(keyedUnrelated, 2), (outcome) => ({
        ...surfaced(outcome),
        attempts: 1,
      })),
      surfaced,
    ),
  },
  {
    finding: 'guessed',
    title: 'the lease is dead, and what may be under way is called absent',
    trial: alwaysSays(
      keyedIn('during_call:never', 'authority-revoked'),
      claims({ claim: 'A', effects: 0 }),
    ),
  },
];

const keyedOutage = keyedIn('before_wal', 'long-outage');
const keyedStale = keyedIn('during_call:now', 'premise-changed');
const keyedExpired = keyedIn('during_call:now', 'authority-expired');

const worldMisses: readonly Planting[] = [
  miss('what was to change during the outage never did', without(keyedOutage, 'world')),
  miss(
    'something else changed during the outage than the cell names',
    changed(keyedOutage, { event: 'authority-revoked' }),
  ),
  miss(
    'the world changed only after recovery',
    insertBefore(
      without(keyedOutage, 'world'),
      (event) => event.type === 'phase' && event.phase === 'O1',
      changesIn(keyedOutage),
    ),
  ),
  miss(
    'the world changed twice',
    insertBefore(keyedOutage, (event) => event.type === 'world', changesIn(keyedOutage)),
  ),
  miss(
    'the world changed where nothing was to change',
    insertBefore(
      plantSound({ tier: 'keyed', kill: 'during_call:now' }),
      (event) => event.type === 'phase' && event.phase === 'recovery',
      changesIn(keyedUnrelated),
    ),
  ),
  miss('the premise that was to change still held', changed(keyedStale, { premises: 'hold' })),
  miss(
    'nobody could tell whether the premise had changed',
    changed(keyedStale, { premises: 'could-not-tell' }),
  ),
  miss('a premise was to change, and none was relied on', changed(keyedStale, { premises: null })),
  miss(
    'a change that no premise was to speak of made one stale',
    changed(keyedUnrelated, { premises: 'stale' }),
  ),
  miss('the lease that was revoked was still live', changed(keyedRevoked, { authority: 'live' })),
  miss('the lease that was to run out was revoked', changed(keyedExpired, { authority: 'dead' })),
  miss(
    'the lease was dead where only a premise was to change',
    changed(keyedStale, { authority: 'dead' }),
  ),
  miss('the clocks that were to move stood still', changed(keyedExpired, { clockOffsetMs: 0 })),
  miss(
    'the clocks moved where only the lease was to be revoked',
    changed(keyedRevoked, { clockOffsetMs: 360_000 }),
  ),
];

export const plantedWorlds: readonly Planting[] = [
  ...sentAllTheSame,
  ...wronglyRefused,
  ...worldMisses,
];

function miss(title: string, trial: PlantedTrial): Planting {
  return { finding: 'world-missed', title, trial };
}

function keyedIn(kill: KillPoint, world: WorldEvent): PlantedTrial {
  return plantSound({ tier: 'keyed', kill, world });
}

function changed(trial: PlantedTrial, change: Partial<EventOf<'world'>>): PlantedTrial {
  return alter(trial, 'world', (event) => ({ ...event, ...change }));
}

function changesIn(trial: PlantedTrial): readonly ObservedEvent[] {
  return trial.events.filter((event) => event.type === 'world');
}

/** Recovery resends, is answered, and from then on says what is so. */
function resent(kill: KillPoint, world: WorldEvent): PlantedTrial {
  const trial = keyedIn(kill, world);
  const sent = insertBefore(
    trial,
    (event) => event.type === 'said' && event.message.type === 'done',
    exchange(another(trial, true), 2, 'none'),
  );
  const told = (outcome: Outcome) => ({ ...happened(outcome), attempts: outcome.attempts + 1 });
  return journalHolds(answers(alwaysSays(sent, told), told), ['O1', 'O2'], [effect('re_1')]);
}

/** Nothing had been sent, and it goes out for the caller. */
function sentForCaller(world: WorldEvent): PlantedTrial {
  const trial = plantSound({ tier: 'blind', kill: 'before_wal', world });
  const sent = insertBefore(trial, answersTheCaller, exchange(another(trial, false), 2, 'none'));
  const told = (outcome: Outcome) => ({ ...happened(outcome), attempts: 1 });
  return journalHolds(answers(says(sent, 'O2', told), told), ['O2'], [effect('re_1')]);
}

function secondSent(): PlantedTrial {
  const trial = plantSound({
    tier: 'blind',
    kill: 'during_call:now',
    world: 'authority-revoked',
    caller: 'second-legitimate',
  });
  const sent = insertBefore(
    trial,
    (event) =>
      event.type === 'said' && event.message.type === 'outcome' && event.message.re === secondId,
    exchangeSecond(another(trial, false), 2),
  );
  const told = () => secondOutcome({ claim: 'H', effects: 1 }, 1);
  return journalHolds(
    answersTo(says(sent, 'second', told), (id) => id === secondId, told),
    ['O2'],
    [effect('re_1'), secondEffect],
  );
}

function doneAgain(): PlantedTrial {
  const trial = plantSound({
    tier: 'blind',
    kill: 'after_commit_before_ack',
    world: 'undone-by-hand',
  });
  const sent = insertBefore(trial, answersTheCaller, exchange(another(trial, false), 2, 'none'));
  return journalHolds(
    says(sent, 'O2', (outcome) => ({ ...outcome, attempts: 2 })),
    ['O2'],
    [effect('re_1'), effect('re_2')],
  );
}

function neverSent(trial: PlantedTrial): PlantedTrial {
  return withoutCalls(
    alwaysSays(trial, (outcome) => ({ ...outcome, attempts: 0 })),
    2,
  );
}

function answersTheCaller(event: ObservedEvent): boolean {
  return event.type === 'said' && event.message.type === 'outcome' && event.message.re === 10;
}

function withoutReceipt(outcome: Outcome): Outcome {
  return { ...outcome, receipt: null };
}
