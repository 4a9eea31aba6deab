/** Which cell a planted trial is one of, and what its requests are. */
import type { JsonObject, TargetDeclaration } from '../../adapters/target.ts';
import { type Cell, formatTrialId, noFault, type Scenario } from '../model/cell.ts';
import type { Ending } from '../model/expectation.ts';
import type { KillPoint } from '../model/kill-points.ts';
import type { TrialSpec } from '../model/trial.ts';
import type { Wiring } from './plant-wire.ts';

export type Tier = 'keyed' | 'blind';

export interface Plot extends Partial<Scenario> {
  readonly tier: Tier;
  readonly kill: KillPoint;
  /** A storm that breaks in while recovery runs. */
  readonly overlaps?: boolean;
  /** Of two that race under a cap the second gets through. */
  readonly secondWins?: boolean;
}

/** A plot that is being told: where it ends, and what has been on the wire so far. */
export interface Story {
  readonly plot: Plot;
  readonly spec: TrialSpec;
  readonly o1: Ending;
  readonly o2: Ending;
  /** Where a second decision ends; null where nobody asks for one. */
  readonly second: Ending | null;
  readonly wiring: Wiring;
}

export const plantedRequest: JsonObject = { payment: 'pay_1', amountMinor: 2000, currency: 'usd' };
export const changedRequest: JsonObject = { ...plantedRequest, amountMinor: 3000 };
export const distinctRequest: JsonObject = { ...plantedRequest, distinct: { approval: 'a_2' } };
export const inventedRequest: JsonObject = {
  ...plantedRequest,
  distinct: { reason: 'the customer wrote again' },
};

const plain: TargetDeclaration = {
  dedupe: null,
  onceByState: false,
  guardsPremises: false,
  lookup: null,
  absence: 'never',
  storedErrorFinal: false,
  noReturnMark: false,
  premises: ['value-equals', 'version-unchanged'],
  clientTimeoutMs: 200,
};
export const plantedDeclarations: Readonly<Record<Tier, TargetDeclaration>> = {
  keyed: { ...plain, dedupe: { windowMs: 86_400_000 } },
  blind: plain,
};

/** The spec of the plot's cell, as a plan would write it. */
export function specOf(plot: Plot): TrialSpec {
  const cell: Cell = {
    gate: 'planted',
    target: `stripe.${plot.tier}`,
    kill: plot.kill,
    recoveryKills: plot.recoveryKills ?? [],
    ...(plot.paused === undefined ? {} : { paused: plot.paused }),
    ...(plot.rivalAt === undefined ? {} : { rivalAt: plot.rivalAt }),
    fault: plot.fault ?? noFault,
    world: plot.world ?? 'none',
    caller: plot.caller ?? 'same-again',
  };
  return {
    format: 1,
    id: formatTrialId(cell, 1),
    cell,
    trial: 1,
    seed: 1,
    gate: { command: ['planted'], lacks: [] },
    target: { options: {}, railOptions: {} },
    declaration: plantedDeclarations[plot.tier],
    draws: {
      examples: 1,
      holdMs: 0,
      killJitterMs: 0,
      lateBeforeLook: false,
      lostReply: 0,
      stormOverlapsRecovery: plot.overlaps === true,
    },
    bounds: { readyMs: 1000, answerMs: 1000, drainMs: 1000, settleMs: 1000 },
  };
}
