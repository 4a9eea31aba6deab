/**
 * Where a reply puts an intent. A reply settles only its own attempt; the intent ends where all of its
 * attempts together put it. Pure.
 */
import type { TargetDeclaration } from '../../adapters/target.ts';
import type { AttemptChange } from './chain.ts';
import type { Change } from './ledger.ts';
import type { AbsenceEvidence, AttemptRow, Reply } from './schema.ts';
import type { GateEvent } from './states.ts';

/** How a sent attempt came back, before anything of it is recorded. */
export interface Answer {
  readonly reply: Reply;
  readonly detail: string;
  readonly entityId: string | null;
}

export interface Settlement {
  readonly event: GateEvent;
  readonly set: NonNullable<Change['set']>;
  readonly attempts: readonly AttemptChange[];
}

/** Where a reply puts the intent. Pure. */
export function judgeAnswer(given: {
  readonly declaration: TargetDeclaration;
  readonly attempts: readonly AttemptRow[];
  readonly current: number;
  readonly answer: Answer;
  readonly windowOpen: boolean;
  readonly nowMs: number;
}): Settlement {
  const { declaration, attempts, current, answer, windowOpen, nowMs } = given;
  const { reply, detail, entityId } = answer;
  const own = attempts.find((attempt) => attempt.attempt === current);
  const passedNoReturn = !declaration.noReturnMark || own?.noReturnAtMs !== null;
  const noEffect = proofOfNoEffect(reply, declaration, passedNoReturn);
  const ended = { endedAtMs: nowMs, reply, detail, noEffect };
  const mine: AttemptChange = { attempt: current, set: ended };

  if (reply === 'landed') {
    const evidence = `the answer to attempt ${current} carries our stamp`;
    return { event: 'landed', set: { entityId, evidence }, attempts: [mine] };
  }
  const others = openAttempts(attempts).filter((attempt) => attempt.attempt !== current);
  // A failure stored under the key speaks for the key, and every attempt carried it.
  const speaksForAll =
    reply === 'stored-error' && noEffect !== null && windowOpen && declaration.dedupe !== null;
  if (noEffect !== null && (others.length === 0 || speaksForAll)) {
    const rest = others.map(({ attempt }): AttemptChange => ({ attempt, set: { noEffect } }));
    const evidence = `attempt ${current}: ${detail}`;
    return reply === 'refused'
      ? { event: 'refused', set: { evidence }, attempts: [mine, ...rest] }
      : {
          event: 'proved-absent',
          set: { evidence, absenceEvidence: noEffect },
          attempts: [mine, ...rest],
        };
  }
  const evidence =
    noEffect === null
      ? `attempt ${current} proves nothing: ${detail}`
      : `attempt ${current} had no effect (${detail}), an earlier one may have had`;
  return { event: 'lost-track', set: { evidence }, attempts: [mine] };
}

/** Those that may have had an effect. */
export function openAttempts(attempts: readonly AttemptRow[]): readonly AttemptRow[] {
  return attempts.filter((attempt) => attempt.noEffect === null);
}

function proofOfNoEffect(
  reply: Reply,
  declaration: TargetDeclaration,
  passedNoReturn: boolean,
): AbsenceEvidence | null {
  switch (reply) {
    case 'landed':
      return null;
    case 'refused':
    case 'refused-mendable':
      return 'definite-refusal';
    case 'withheld':
      return 'before-no-return';
    case 'stored-error':
      return declaration.storedErrorFinal ? 'definite-refusal' : null;
    case 'foreign':
    case 'unknown':
    case 'in-flight':
      return passedNoReturn ? null : 'before-no-return';
    default:
      return reply satisfies never;
  }
}
