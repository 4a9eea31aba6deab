/**
 * What can happen in a cell and what a sound gate must end at: one pure function of the target's
 * declaration and the scenario. Planning excludes what it calls unreachable; judging compares with
 * what it demands. It follows from what a declaration promises, never from what a run showed.
 */
import type { TargetDeclaration } from '../../adapters/target.ts';
import type { ArmedFault, FaultName, Scenario, WorldEvent } from './cell.ts';
import type { KillPoint } from './kill-points.ts';

/** What recovery can still find out, strongest first. */
export const guaranteeClasses = [
  'dedupes',
  'window-over',
  'fence',
  'bound',
  'unbounded',
  'neither',
  'neither-marked',
] as const;
export type GuaranteeClass = (typeof guaranteeClasses)[number];

/** Column headings for people. */
export const guaranteeClassTitles: Readonly<Record<GuaranteeClass, string>> = {
  dedupes: 'dedupes, in window',
  'window-over': 'window over, no lookup',
  fence: 'lookup + fence',
  bound: 'lookup + bound',
  unbounded: 'lookup, no finality',
  neither: 'neither',
  'neither-marked': 'neither, mark of no return',
};

/** H happened, A absent, R refused, U unknown and surfaced. */
export type Claim = 'H' | 'A' | 'R' | 'U';

/** What the gate claims and how many effects the journal holds. */
export interface Ending {
  readonly claim: Claim;
  readonly effects: number;
}

export type Expectation =
  | { readonly kind: 'cannot-meet'; readonly why: string }
  | {
      readonly kind: 'reachable';
      /** Allowed after recovery. More than one where the order of two events outside the gate decides. */
      readonly o1: readonly Ending[];
      /** Allowed after the caller's behaviour. */
      readonly o2: readonly Ending[];
      /** Allowed as the answer to the caller. */
      readonly answers: readonly Claim[];
    };

/** The class a declaration amounts to, with the dedupe window over or not. */
export function classify(declaration: TargetDeclaration, windowOver: boolean): GuaranteeClass {
  if (declaration.dedupe !== null && !windowOver) return 'dedupes';
  if (declaration.lookup !== null) {
    if (declaration.absence === 'fence') return 'fence';
    return declaration.absence === 'never' ? 'unbounded' : 'bound';
  }
  if (declaration.dedupe !== null) return 'window-over';
  return declaration.noReturnMark ? 'neither-marked' : 'neither';
}

/** What a sound gate must end at in this scenario, or why the scenario can't exist. */
export function expectScenario(declaration: TargetDeclaration, scenario: Scenario): Expectation {
  const situation: Situation = {
    atFirst: classify(declaration, false),
    afterOutage: classify(declaration, outlastsWindow(declaration, scenario.world)),
    maySend: mayStillSend(scenario.world),
  };
  const first = firstIncarnation(
    situation.atFirst,
    scenario.kill,
    faultIn('first-send', scenario.fault),
  );
  if (first.kind === 'cannot-meet') return first;

  const recovered = afterRecovery(situation, first);
  if (phaseOf(scenario.fault) === 'resend' && !recovered.sends) {
    return cannotMeet('recovery sends nothing here, so no fault can meet a resend');
  }

  const answered = afterCaller(situation, recovered.endings, scenario);
  if (answered.kind === 'cannot-meet') return answered;
  return {
    kind: 'reachable',
    // A storm may overlap recovery, and then its effect is already there when recovery is observed.
    o1:
      scenario.caller === 'storm' ? union(recovered.endings, answered.endings) : recovered.endings,
    o2: answered.endings,
    answers:
      scenario.caller === 'changed-amount'
        ? ['R']
        : [...new Set(answered.endings.map((ending) => ending.claim))],
  };
}

/** `H1`, or `A0 or H1` where two are allowed. */
export function formatEndings(endings: readonly Ending[]): string {
  return endings.map((ending) => `${ending.claim}${ending.effects}`).join(' or ');
}

export function allows(endings: readonly Ending[], claim: Claim, effects: number): boolean {
  return endings.some((ending) => ending.claim === claim && ending.effects === effects);
}

interface Situation {
  readonly atFirst: GuaranteeClass;
  readonly afterOutage: GuaranteeClass;
  /** False when the authority has died or a premise has changed by the time a send would be needed. */
  readonly maySend: boolean;
}

/** When a request takes effect: at once, after its sender is dead, or never. */
type Landing = 'now' | 'later' | 'never';

type First =
  | { readonly kind: 'cannot-meet'; readonly why: string }
  | { readonly kind: 'nothing-sent-nothing-recorded' }
  /** `reached`: whether a whole request was given to the service or the wire before the end. */
  | { readonly kind: 'in-flight'; readonly landing: Landing; readonly reached: boolean }
  | { readonly kind: 'recorded'; readonly endings: readonly Ending[] };

/** Where the first incarnation leaves the effect. */
function firstIncarnation(cls: GuaranteeClass, kill: KillPoint, fault: FaultName): First {
  const ended = kill === 'after_call_before_commit' || kill === 'after_commit_before_ack';
  if (fault !== 'none' && !ended) {
    return cannotMeet('the process dies before its first call has ended, so no fault can meet it');
  }
  switch (kill) {
    case 'before_wal':
      return { kind: 'nothing-sent-nothing-recorded' };
    case 'after_wal_before_call':
      return { kind: 'in-flight', landing: 'never', reached: false };
    case 'during_call:now':
      return { kind: 'in-flight', landing: 'now', reached: true };
    case 'during_call:later':
      return { kind: 'in-flight', landing: 'later', reached: true };
    case 'during_call:never':
      return { kind: 'in-flight', landing: 'never', reached: true };
    case 'after_call_before_commit':
      return { kind: 'in-flight', ...landingUnder(fault) };
    case 'after_commit_before_ack': {
      if (fault === 'none') return { kind: 'recorded', endings: [happened] };
      // An indefinite answer makes the gate learn once, in the same process, before its last word.
      const { landing, reached } = landingUnder(fault);
      return { kind: 'recorded', endings: learn(cls, landing, reached) };
    }
    default:
      return kill satisfies never;
  }
}

function landingUnder(fault: FaultName): { landing: Landing; reached: boolean } {
  switch (fault) {
    case 'none':
    case 'reply-lost':
    case 'error-after-apply':
      return { landing: 'now', reached: true };
    case 'request-lost':
    case 'error-before-apply':
      return { landing: 'never', reached: true };
    case 'late-apply':
      return { landing: 'later', reached: true };
    case 'partition':
      return { landing: 'never', reached: false };
    default:
      return fault satisfies never;
  }
}

/** What the recovery routine finds out about an attempt that is in flight. */
function learn(cls: GuaranteeClass, landing: Landing, reached: boolean): readonly Ending[] {
  const landed = landing === 'never' ? 0 : 1;
  switch (cls) {
    case 'dedupes':
      // Sending the same key again is the look: it makes or finds the one effect.
      return [happened];
    case 'window-over':
    case 'neither':
      return [{ claim: 'U', effects: landed }];
    case 'neither-marked':
      return reached ? [{ claim: 'U', effects: landed }] : [absent];
    case 'fence':
      if (landing === 'never') return [absent];
      // The fence and the orphan race; whoever is first stops the other.
      return landing === 'now' ? [happened] : [absent, happened];
    case 'bound':
      return landing === 'never' ? [absent] : [happened];
    case 'unbounded':
      if (landing === 'never') return [{ claim: 'U', effects: 0 }];
      return landing === 'now' ? [happened] : [happened, { claim: 'U', effects: 1 }];
    default:
      return cls satisfies never;
  }
}

function afterRecovery(
  situation: Situation,
  first: Exclude<First, { kind: 'cannot-meet' }>,
): { endings: readonly Ending[]; sends: boolean } {
  switch (first.kind) {
    case 'nothing-sent-nothing-recorded':
      return { endings: [absent], sends: false };
    case 'recorded':
      return { endings: first.endings, sends: false };
    case 'in-flight': {
      const sends = situation.afterOutage === 'dedupes' && situation.maySend;
      const cls =
        situation.afterOutage === 'dedupes' && !sends ? 'window-over' : situation.afterOutage;
      return { endings: learn(cls, first.landing, first.reached), sends };
    }
    default:
      return first satisfies never;
  }
}

type Answered =
  | { readonly kind: 'cannot-meet'; readonly why: string }
  | { readonly kind: 'answered'; readonly endings: readonly Ending[] };

function afterCaller(
  situation: Situation,
  recovered: readonly Ending[],
  scenario: Scenario,
): Answered {
  const fault = faultIn('caller', scenario.fault);
  const asksAgain = scenario.caller !== 'changed-amount';
  const certainlySends = asksAgain && situation.maySend && recovered.every(isAbsent);
  if (fault !== 'none' && !certainlySends) {
    return cannotMeet(
      'the caller’s request need not be sent here, so no fault can be counted on to meet it',
    );
  }
  if (!asksAgain) return { kind: 'answered', endings: recovered };
  const endings = recovered.flatMap((ending): readonly Ending[] => {
    if (!isAbsent(ending)) return looksAgain(situation, ending);
    if (!situation.maySend) return [{ claim: 'R', effects: 0 }];
    if (fault === 'none') return [happened];
    const { landing, reached } = landingUnder(fault);
    const learnt = learn(situation.atFirst, landing, reached).flatMap((next) =>
      looksAgain(situation, next),
    );
    // Once an attempt is proven absent, the next of five callers may send again.
    return scenario.caller === 'storm' && learnt.some(isAbsent) ? [...learnt, happened] : learnt;
  });
  return { kind: 'answered', endings: union(endings, []) };
}

/** A later look of a target that can be asked finds what has landed by then. */
function looksAgain(situation: Situation, ending: Ending): readonly Ending[] {
  const canLook = situation.afterOutage === 'unbounded';
  return canLook && ending.claim === 'U' && ending.effects === 1 ? [happened] : [ending];
}

const happened: Ending = { claim: 'H', effects: 1 };
const absent: Ending = { claim: 'A', effects: 0 };

function isAbsent(ending: Ending): boolean {
  return ending.claim === 'A';
}

function union(left: readonly Ending[], right: readonly Ending[]): readonly Ending[] {
  const all = [...left, ...right];
  return all.filter(
    (ending, index) =>
      all.findIndex((other) => formatEndings([other]) === formatEndings([ending])) === index,
  );
}

function faultIn(phase: 'first-send' | 'caller', fault: ArmedFault): FaultName {
  return phaseOf(fault) === phase ? fault.fault : 'none';
}

function phaseOf(fault: ArmedFault): 'first-send' | 'resend' | 'caller' | null {
  return fault.fault === 'none' ? null : fault.phase;
}

function outlastsWindow(declaration: TargetDeclaration, world: WorldEvent): boolean {
  return (
    world === 'long-outage' &&
    declaration.dedupe !== null &&
    declaration.dedupe.windowMs !== 'forever'
  );
}

function mayStillSend(world: WorldEvent): boolean {
  return world === 'none' || world === 'long-outage';
}

function cannotMeet(why: string): { kind: 'cannot-meet'; why: string } {
  return { kind: 'cannot-meet', why };
}
