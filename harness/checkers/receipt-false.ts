/**
 * A receipt says what its outcome says, and what the journal shows. Receipts handed to callers are
 * held against their own answer and against both journals; only an observation has a journal of its
 * own moment, so only there can "no" be held against an effect.
 */
import type { Outcome, Receipt } from '../../gate/gate.ts';
import type { Finding } from '../model/findings.ts';
import type { Checker } from './checker.ts';
import { everHeldEffect, type Facts, formatEffects, observationNames, sameJson } from './facts.ts';

export const receiptFalse: Checker = {
  finding: 'receipt-false',
  check: (_spec, facts) => [...falseAtObservations(facts), ...falseAnswers(facts)],
};

function falseAtObservations(facts: Facts): readonly Finding[] {
  return observationNames.flatMap((name) => {
    const { outcome, effects, events } = facts.observations[name];
    if (outcome === null || outcome.receipt === null) return [];
    const { executed } = outcome.receipt.facts;
    const faults = contradictions(outcome, outcome.receipt);
    if (effects !== null && executed === 'yes' && effects.length === 0) {
      faults.push('executed yes, the journal holds no effect');
    }
    if (effects !== null && executed === 'no' && effects.length > 0) {
      faults.push(`executed no, the journal holds ${formatEffects(effects)}`);
    }
    return faults.map((fault): Finding => {
      return { finding: 'receipt-false', message: `at ${name} the receipt says ${fault}`, events };
    });
  });
}

/** The answer to a changed request may carry the recorded intent's receipt, so it is left alone. */
function falseAnswers(facts: Facts): readonly Finding[] {
  const first = facts.submits[0]?.request;
  return facts.submits.flatMap(({ request, answer }) => {
    if (answer === null || answer.outcome.receipt === null || !sameJson(request, first)) return [];
    const { receipt } = answer.outcome;
    const faults = contradictions(answer.outcome, receipt);
    const journalRead = facts.observations.O2.effects !== null;
    if (receipt.facts.executed === 'yes' && journalRead && !everHeldEffect(facts)) {
      faults.push('executed yes, the journal never held the effect');
    }
    return faults.map(
      (fault): Finding => ({
        finding: 'receipt-false',
        message: `the receipt in a caller's answer (phase ${answer.phase}) says ${fault}`,
        events: [answer.n],
      }),
    );
  });
}

function contradictions(outcome: Outcome, receipt: Receipt): string[] {
  const faults: string[] = [];
  const { executed } = receipt.facts;
  const denied = executed === 'yes' && outcome.outcome !== 'happened';
  const claimed =
    executed === 'no' && outcome.outcome !== 'absent' && outcome.outcome !== 'refused';
  if (denied || claimed) faults.push(`executed ${executed}, the gate says ${outcome.outcome}`);
  if (receipt.state !== outcome.state) {
    faults.push(`state ${receipt.state}, the gate says ${outcome.state ?? 'no record'}`);
  }
  if (receipt.entityId !== outcome.entityId) {
    faults.push(
      `entity ${receipt.entityId ?? 'none'}, the gate names ${outcome.entityId ?? 'none'}`,
    );
  }
  return faults;
}
