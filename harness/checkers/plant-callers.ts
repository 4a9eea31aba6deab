/** What the caller of a planted trial does after the restart, and what becomes of it. */
import type { FaultName } from '../model/cell.ts';
import type { Ending } from '../model/expectation.ts';
import type { ObservedEvent } from '../model/history.ts';
import { heldOutcome, rejectedOutcome, secondOutcome } from './plant-outcomes.ts';
import {
  answer,
  answerWith,
  exit,
  secondId,
  start,
  stormCallers,
  stormEnds,
  submit,
  submitSecond,
} from './plant-parts.ts';
import {
  changedRequest,
  distinctRequest,
  inventedRequest,
  plantedRequest,
  type Story,
  type Tier,
} from './plant-plot.ts';
import { exchange, exchangeSecond, lateLanding, readPremises, type Wiring } from './plant-wire.ts';

/** Two sessions: the process that recovered, and one more. */
const session = 3;
const bothSessions = stormCallers.filter(([, id]) => id === 10 || id === 12);

/** The phase from its beginning to the last answer. */
export function callerBehaves(story: Story): readonly ObservedEvent[] {
  return [{ type: 'phase', phase: 'caller' }, ...behaviour(story), ...lateLanding(story.wiring)];
}

function behaviour(story: Story): readonly ObservedEvent[] {
  const { spec, o1, wiring } = story;
  const { caller, paused } = spec.cell;
  if (paused === true) {
    const told: Ending = o1.claim === 'H' ? o1 : { ...o1, claim: 'W' };
    return [asksAgain, answer(2, 10, told, wiring.attempts)];
  }
  switch (caller) {
    case 'same-again':
      return [asksAgain, ...firstEnds(story)];
    case 'fresh-id':
      return [submit(2, 10, plantedRequest), ...firstEnds(story)];
    case 'changed-amount': {
      const refused: Ending = { claim: 'R', effects: o1.effects };
      return [submit(2, 10, changedRequest), answer(2, 10, refused, wiring.attempts)];
    }
    case 'storm':
      return [
        ...start(3, 'storm'),
        ...start(4, 'storm'),
        ...together(story, stormCallers),
        ...stormEnds,
      ];
    case 'second-session':
      return [...start(session, 'session'), ...together(story, bothSessions), exit(session)];
    case 'second-legitimate':
      return [
        asksAgain,
        ...firstEnds(story),
        submitSecond(2, distinctRequest),
        ...secondEnds(story, 2),
      ];
    case 'over-cap':
      return [
        ...start(session, 'session'),
        asksAgain,
        submitSecond(session, distinctRequest),
        ...firstEnds(story),
        ...secondEnds(story, session),
        exit(session),
      ];
    case 'invented-reason':
      return invents;
    case 'gives-up':
      return [];
    default:
      return caller satisfies never;
  }
}

const asksAgain = submit(2, 10, plantedRequest, { requestId: 'request-1' });

/** Nobody with authority decided it: it is held, and then a person rejects it. */
const invents: readonly ObservedEvent[] = [
  submit(2, 10, inventedRequest),
  answerWith(2, 10, heldOutcome),
  {
    type: 'sent',
    incarnation: 2,
    message: {
      type: 'resolve',
      id: 11,
      request: inventedRequest,
      resolution: { decision: 'reject', by: 'support', reason: 'nobody approved a second one' },
    },
  },
  answerWith(2, 11, rejectedOutcome),
];

/** The first decision is sent if it still has to be and may be, and its caller is answered. */
function firstEnds(story: Story): readonly ObservedEvent[] {
  const sends = firstSends(story);
  return [...sends, answer(2, 10, story.o2, story.wiring.attempts)];
}

/** All ask, one process sends, all are told the same. */
function together(story: Story, callers: typeof stormCallers): readonly ObservedEvent[] {
  const asked = callers.map(([incarnation, id]) => submit(incarnation, id, plantedRequest));
  const sends = firstSends(story);
  const told = callers.map(([incarnation, id]) =>
    answer(incarnation, id, story.o2, story.wiring.attempts),
  );
  return [...asked, ...sends, ...told];
}

function firstSends(story: Story): readonly ObservedEvent[] {
  const { o1, o2, wiring } = story;
  if (o1.claim !== 'A') return [];
  return o2.claim === 'R' ? readPremises(wiring, 2) : callerSends(story);
}

function secondEnds({ second, wiring }: Story, incarnation: number): readonly ObservedEvent[] {
  if (second === null) throw new Error('expected an ending of the second decision, there is none');
  const sends = second.effects > 0 ? exchangeSecond(wiring, incarnation) : [];
  const outcome = secondOutcome(second, wiring.secondAttempts);
  return [...sends, answerWith(incarnation, secondId, outcome)];
}

/** The sends for the first caller; every other one joins them. */
export function callerSends({ plot, spec, wiring }: Story): readonly ObservedEvent[] {
  const { fault } = spec.cell;
  const met = fault.fault !== 'none' && fault.phase === 'caller' ? fault.fault : 'none';
  return sendsUntilKnown(wiring, { incarnation: 2, fault: met, tier: plot.tier });
}

/** A keyed gate sends again under the same key after an indefinite answer; a blind one can't. */
export function sendsUntilKnown(
  wiring: Wiring,
  {
    incarnation,
    fault,
    tier,
  }: { readonly incarnation: number; readonly fault: FaultName; readonly tier: Tier },
): readonly ObservedEvent[] {
  const again = fault !== 'none' && tier === 'keyed';
  return [
    ...exchange(wiring, incarnation, fault),
    ...(again ? exchange(wiring, incarnation, 'none') : []),
  ];
}
