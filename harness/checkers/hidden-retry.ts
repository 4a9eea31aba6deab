/**
 * One attempt, one mutating request: a repeat behind the gate's back, such as a client library's
 * own, is one the ledger knows nothing of. Under one constant key for each decision, inside its window,
 * the service dedupes it, so that it is only worth a note.
 */
import type { TrialSpec } from '../model/trial.ts';
import type { Checker } from './checker.ts';
import { attemptsKnown, type Facts } from './facts.ts';
import { mutatingRequests, type WireRequest } from './requests.ts';
import { sentUnrecorded } from './sent-before-recorded.ts';

export const hiddenRetry: Checker = {
  finding: 'hidden-retry',
  check: (spec, facts) => {
    const repeat = findRepeat(facts);
    if (repeat === null || isDeduped(spec, facts, repeat.sent)) return [];
    const events = [
      ...repeat.sent.map((request) => request.began.n),
      ...facts.observations.O2.events,
    ];
    return [{ finding: 'hidden-retry', message: repeat.message, events }];
  },
  notes: (spec, facts) => {
    const repeat = findRepeat(facts);
    return repeat !== null && isDeduped(spec, facts, repeat.sent)
      ? [`${repeat.message}, all under one key inside its window`]
      : [];
  },
};

function findRepeat(
  facts: Facts,
): { readonly sent: readonly WireRequest[]; readonly message: string } | null {
  const attempts = attemptsKnown(facts, 'O2');
  if (attempts === null || attempts < 1) return null;
  // Without any attempt on record there is none to repeat; that is another promise's finding.
  const unrecorded = (['O1', 'O2'] as const).some(
    (name) => sentUnrecorded(facts, facts.observations[name]).length > 0,
  );
  const sent = mutatingRequests(facts);
  if (unrecorded || sent.length <= attempts) return null;
  const message = `at O2 the gate reports ${attempts} attempt(s), expected no more mutating requests than that, the wire saw ${sent.length}`;
  return { sent, message };
}

function isDeduped(spec: TrialSpec, facts: Facts, sent: readonly WireRequest[]): boolean {
  const { dedupe } = spec.declaration;
  if (dedupe === null) return false;
  const insideWindow = dedupe.windowMs === 'forever' || spec.cell.world !== 'long-outage';
  const keys = new Set(sent.map((request) => request.whole?.event.key ?? null));
  return insideWindow && keys.size <= decisionsAttempted(facts) && !keys.has(null);
}

/** Each decision that was attempted has a key of its own. */
function decisionsAttempted({ observations }: Facts): number {
  const { O2, second } = observations;
  return [O2, second].filter(({ outcome }) => outcome !== null && outcome.attempts > 0).length;
}
