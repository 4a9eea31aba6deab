/** What the gate of a planted history says of a decision, and the effects the journal shows of it. */
import type { Outcome } from '../../gate/gate.ts';
import type { Claim, Ending } from '../model/expectation.ts';
import type { EventOf } from './seen.ts';

/** What a gate that tells the truth says of an ending. */
export function outcomeOf({ claim }: Ending, attempts: number): Outcome {
  return outcomeFrom(outcomeWords[claim], {
    decisionKey: 'key-1',
    entityId: claim === 'H' ? 're_1' : null,
    attempts,
  });
}

export const secondEffect = { ...effect('re_2'), stamp: 'key-2' };

/** What it says of the second decision. */
export function secondOutcome({ claim }: Ending, attempts: number): Outcome {
  return outcomeFrom(outcomeWords[claim], {
    decisionKey: 'key-2',
    entityId: claim === 'H' ? secondEffect.entityId : null,
    attempts,
  });
}

/** Of a proposal for a reason that no lease covers: it waits for a person, and then is rejected. */
export const heldOutcome = outcomeFrom(
  {
    outcome: 'absent',
    disposition: 'surfaced',
    state: 'HELD',
    executed: 'no',
    authorized: false,
    evidence: 'no lease covers this reason',
  },
  { decisionKey: 'key-3', entityId: null, attempts: 0 },
);
export const rejectedOutcome = outcomeFrom(
  {
    outcome: 'refused',
    disposition: 'settled',
    state: 'BLOCKED',
    executed: 'no',
    authorized: false,
    evidence: 'a person rejected it',
  },
  { decisionKey: 'key-3', entityId: null, attempts: 0 },
);

interface Words extends Pick<Outcome, 'outcome' | 'disposition' | 'evidence'> {
  readonly state: string;
  readonly executed: 'yes' | 'no' | 'unknown';
  readonly authorized: boolean;
}

function outcomeFrom(
  { outcome, disposition, state, executed, authorized, evidence }: Words,
  about: {
    readonly decisionKey: string;
    readonly entityId: string | null;
    readonly attempts: number;
  },
): Outcome {
  const { decisionKey, entityId, attempts } = about;
  return {
    outcome,
    disposition,
    final: outcome === 'happened',
    state,
    entityId,
    attempts,
    evidence,
    receipt: {
      decisionKey,
      payloadHash: 'hash-1',
      state,
      entityId,
      facts: { proposed: true, authorized, executed, recorded: true },
      chainSeq: 1,
      chainHash: 'chain-1',
    },
  };
}

const outcomeWords = {
  H: {
    outcome: 'happened',
    disposition: 'settled',
    state: 'APPLIED',
    executed: 'yes',
    authorized: true,
    evidence: 'the service said so',
  },
  A: {
    outcome: 'absent',
    disposition: 'settled',
    state: 'PROPOSED',
    executed: 'no',
    authorized: true,
    evidence: 'nothing was sent',
  },
  R: {
    outcome: 'refused',
    disposition: 'settled',
    state: 'BLOCKED',
    executed: 'no',
    authorized: false,
    evidence: 'something stands against it',
  },
  U: {
    outcome: 'unknown',
    disposition: 'surfaced',
    state: 'AMBIGUOUS',
    executed: 'unknown',
    authorized: true,
    evidence: 'no answer came',
  },
  W: {
    outcome: 'unknown',
    disposition: 'working',
    state: 'IN_FLIGHT',
    executed: 'unknown',
    authorized: true,
    evidence: 'owned, alive',
  },
} as const satisfies Record<Claim, Words>;

export function effect(
  entityId: string,
  amountMinor = 2000,
): EventOf<'journal'>['effects'][number] {
  return {
    entityId,
    stamp: 'key-1',
    actor: 'subject',
    subject: 'pay_1',
    substance: { amountMinor, currency: 'usd' },
    atMs: 0,
  };
}
