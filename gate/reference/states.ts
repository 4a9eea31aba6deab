/**
 * The life of an intent: twelve states, the events that move it, and one switch that says which
 * move is legal. The edges stand here as data too, each with its meaning; the page
 * `docs/gate-states.md` is drawn from them, and a test holds switch and data together.
 */

export const states = [
  'PROPOSED',
  'HELD',
  'BLOCKED',
  'AUTHORIZED',
  'IN_FLIGHT',
  'APPLIED',
  'FAILED_TERMINAL',
  'UNKNOWN',
  'RECONCILING',
  'CONFIRMED_NOT_APPLIED',
  'QUARANTINED',
  'AMBIGUOUS',
] as const;
export type State = (typeof states)[number];

export const stateMeanings: Readonly<Record<State, string>> = {
  PROPOSED: 'recorded with its payload; nothing was checked yet',
  HELD: 'its stated reason is covered by no lease; a person must approve or reject it',
  BLOCKED: 'this proposal was refused before any attempt; the key stays free for a lawful one',
  AUTHORIZED: 'lease and premises held; no attempt of this round is recorded',
  IN_FLIGHT: 'an attempt is durable; a request may be on its way',
  APPLIED: 'the effect took place and is ours',
  FAILED_TERMINAL: 'the service refused by its own rules, and no attempt can have had an effect',
  UNKNOWN: 'an attempt ended without proof of either',
  RECONCILING: 'a look at the service is under way',
  CONFIRMED_NOT_APPLIED: 'proof that no attempt had an effect or can still have one',
  QUARANTINED: 'it could be known, the means ran out; a later submit or recover may look again',
  AMBIGUOUS: 'nobody can know by asking; only a person can end it',
};

export const absorbingStates: readonly State[] = ['BLOCKED', 'APPLIED', 'FAILED_TERMINAL'];

/** States in which an attempt's effect is not known and nobody has been told so yet. */
export const unsettledStates: readonly State[] = ['IN_FLIGHT', 'UNKNOWN', 'RECONCILING'];

export const gateEvents = [
  'hold',
  'block',
  'authorize',
  'approve',
  'reject',
  'record-attempt',
  'landed',
  'refused',
  'proved-absent',
  'lost-track',
  'look',
  'inconclusive',
  'authorize-resend',
  'quarantine',
  'nobody-can-know',
  'reopen',
  'resolve-happened',
  'resolve-absent',
] as const;
export type GateEvent = (typeof gateEvents)[number];

export interface Edge {
  readonly from: State;
  readonly event: GateEvent;
  readonly to: State;
  readonly meaning: string;
}

export const edges: readonly Edge[] = [
  edge('PROPOSED', 'hold', 'HELD', 'the lease does not cover the stated reason'),
  edge(
    'PROPOSED',
    'block',
    'BLOCKED',
    'the lease is dead or does not cover it, or a premise is stale',
  ),
  edge('PROPOSED', 'authorize', 'AUTHORIZED', 'lease and premises hold'),
  edge('HELD', 'approve', 'AUTHORIZED', 'a person approved it; the next submit may send'),
  edge('HELD', 'reject', 'BLOCKED', 'a person rejected it'),
  edge(
    'AUTHORIZED',
    'block',
    'BLOCKED',
    'lease or premise fell before the first attempt, or a cap has no room',
  ),
  edge('AUTHORIZED', 'record-attempt', 'IN_FLIGHT', 'the one edge into a call'),
  edge('IN_FLIGHT', 'landed', 'APPLIED', 'the answer carries our stamp'),
  edge('IN_FLIGHT', 'refused', 'FAILED_TERMINAL', 'refused by rule, no attempt is open'),
  edge('IN_FLIGHT', 'proved-absent', 'CONFIRMED_NOT_APPLIED', 'no attempt had an effect'),
  edge('IN_FLIGHT', 'lost-track', 'UNKNOWN', 'no believable answer, or the owner died'),
  edge('UNKNOWN', 'look', 'RECONCILING', 'a look is counted and about to be made'),
  edge('UNKNOWN', 'authorize-resend', 'AUTHORIZED', 'the same key, inside its window, is the look'),
  edge('UNKNOWN', 'quarantine', 'QUARANTINED', 'the means ran out'),
  edge('UNKNOWN', 'nobody-can-know', 'AMBIGUOUS', 'no lookup, and no resend that is safe'),
  edge('RECONCILING', 'landed', 'APPLIED', 'found by our stamp'),
  edge('RECONCILING', 'proved-absent', 'CONFIRMED_NOT_APPLIED', 'a complete look, and finality'),
  edge('RECONCILING', 'inconclusive', 'UNKNOWN', 'the look could not tell'),
  edge('RECONCILING', 'quarantine', 'QUARANTINED', 'more than one effect carries our stamp'),
  edge('CONFIRMED_NOT_APPLIED', 'authorize', 'AUTHORIZED', 'a new submit, checked afresh'),
  edge('QUARANTINED', 'reopen', 'UNKNOWN', 'a later submit or recover looks again'),
  edge('QUARANTINED', 'resolve-happened', 'APPLIED', 'a person says it happened'),
  edge('QUARANTINED', 'resolve-absent', 'CONFIRMED_NOT_APPLIED', 'a person says it did not'),
  edge('AMBIGUOUS', 'resolve-happened', 'APPLIED', 'a person says it happened'),
  edge('AMBIGUOUS', 'resolve-absent', 'CONFIRMED_NOT_APPLIED', 'a person says it did not'),
];

/** Where `event` leads from `state`. Throws IllegalTransitionError for every pair that is no edge. */
export function transition(state: State, event: GateEvent): State {
  switch (state) {
    case 'PROPOSED':
      if (event === 'hold') return 'HELD';
      if (event === 'block') return 'BLOCKED';
      if (event === 'authorize') return 'AUTHORIZED';
      break;
    case 'HELD':
      if (event === 'approve') return 'AUTHORIZED';
      if (event === 'reject') return 'BLOCKED';
      break;
    case 'AUTHORIZED':
      if (event === 'block') return 'BLOCKED';
      if (event === 'record-attempt') return 'IN_FLIGHT';
      break;
    case 'IN_FLIGHT':
      if (event === 'landed') return 'APPLIED';
      if (event === 'refused') return 'FAILED_TERMINAL';
      if (event === 'proved-absent') return 'CONFIRMED_NOT_APPLIED';
      if (event === 'lost-track') return 'UNKNOWN';
      break;
    case 'UNKNOWN':
      if (event === 'look') return 'RECONCILING';
      if (event === 'authorize-resend') return 'AUTHORIZED';
      if (event === 'quarantine') return 'QUARANTINED';
      if (event === 'nobody-can-know') return 'AMBIGUOUS';
      break;
    case 'RECONCILING':
      if (event === 'landed') return 'APPLIED';
      if (event === 'proved-absent') return 'CONFIRMED_NOT_APPLIED';
      if (event === 'inconclusive') return 'UNKNOWN';
      if (event === 'quarantine') return 'QUARANTINED';
      break;
    case 'CONFIRMED_NOT_APPLIED':
      if (event === 'authorize') return 'AUTHORIZED';
      break;
    case 'QUARANTINED':
      if (event === 'reopen') return 'UNKNOWN';
      if (event === 'resolve-happened') return 'APPLIED';
      if (event === 'resolve-absent') return 'CONFIRMED_NOT_APPLIED';
      break;
    case 'AMBIGUOUS':
      if (event === 'resolve-happened') return 'APPLIED';
      if (event === 'resolve-absent') return 'CONFIRMED_NOT_APPLIED';
      break;
    case 'BLOCKED':
    case 'APPLIED':
    case 'FAILED_TERMINAL':
      break;
    default:
      return state satisfies never;
  }
  throw new IllegalTransitionError(state, event);
}

export class IllegalTransitionError extends Error {
  override readonly name = 'IllegalTransitionError';
  constructor(state: State, event: GateEvent) {
    const legal = edges.filter((candidate) => candidate.from === state);
    const expected = legal.map((candidate) => candidate.event).join(', ') || 'nothing, it is final';
    super(`an intent in ${state} can't take "${event}"; expected ${expected}`);
  }
}

function edge(from: State, event: GateEvent, to: State, meaning: string): Edge {
  return { from, event, to, meaning };
}
