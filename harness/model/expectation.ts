/**
 * What can happen in a cell and what a sound gate must end at: one pure function of the target's
 * declaration and the scenario. Planning excludes what it calls unreachable; judging compares with
 * what it demands. It follows from what a declaration promises, never from what a run showed.
 */
import type { TargetDeclaration } from '../../adapters/target.ts';
import { callerFacts } from './caller-table.ts';
import type { ArmedFault, Scenario } from './cell.ts';
import { type FaultFacts, faultTable, type Landing } from './fault-table.ts';
import type { KillPoint, RecoveryPoint } from './kill-points.ts';
import { submittedPremises, whatEnds } from './mandate.ts';
import { beyondLeaseMs, leaseLifeMs, type WorldEvent } from './world-table.ts';

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

/** H happened, A absent, R refused, U unknown and surfaced, W unknown while somebody alive is on it. */
export type Claim = 'H' | 'A' | 'R' | 'U' | 'W';

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
      /** Allowed for a second decision at the end; empty where nobody asks for one. */
      readonly second: readonly Ending[];
      /** How many effects both decisions have together at the end; null where no cap binds them. */
      readonly together: { readonly least: number; readonly most: number } | null;
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
  const situation = situationOf(declaration, scenario);
  const impossible =
    unmetByTarget(situation, scenario.fault) ?? unmetByWorld(declaration, situation, scenario);
  if (impossible !== null) return cannotMeet(impossible);
  if (scenario.paused === true) return expectPaused(scenario);
  const first = firstIncarnation(situation, scenario.kill);
  if (first.kind === 'cannot-meet') return first;
  const unchangeable = unmetInOutage(declaration, scenario.world, first);
  if (unchangeable !== null) return cannotMeet(unchangeable);

  const recovery = afterRecovery(situation, first);
  const recoveryPoints = [
    ...scenario.recoveryKills,
    ...(scenario.rivalAt === undefined ? [] : [scenario.rivalAt]),
  ];
  const unmet = unmetInRecovery(situation, first, recovery, recoveryPoints);
  if (unmet !== null) return cannotMeet(unmet);

  const answered = afterCaller(situation, recovery.endings, scenario, first.kind === 'in-flight');
  if (answered.kind === 'cannot-meet') return answered;
  const races = callerFacts(scenario.caller).second === 'racing';
  const o2 = races ? racingFirst(answered.endings, recovery.endings) : answered.endings;
  return {
    kind: 'reachable',
    // Callers who come at once may overlap recovery, and then their effect is already there when it is observed.
    o1: scenario.caller === 'storm' ? union(recovery.endings, answered.endings) : recovery.endings,
    o2,
    answers: answersTo(scenario, o2),
    second: races ? racingSecond(situation, recovery.endings) : secondAfter(situation, scenario),
    together: races ? boundByCap(recovery.endings, situation) : null,
  };
}

function situationOf(declaration: TargetDeclaration, scenario: Scenario): Situation {
  const maySend = whatEnds(declaration, scenario.world) === 'nothing';
  const afterOutage = classify(declaration, outlastsWindow(declaration, scenario.world));
  const withoutResend = classify(declaration, true);
  return {
    atFirst: classify(declaration, false),
    afterOutage,
    withoutResend,
    inRecovery: afterOutage === 'dedupes' && !maySend ? withoutResend : afterOutage,
    maySend,
    ends: whatEnds(declaration, scenario.world),
    readsPremises: submittedPremises(declaration, scenario.world).length > 0,
    fault: scenario.fault,
  };
}

/** Why this service can't do wrong in this way, or null. */
function unmetByTarget(situation: Situation, fault: ArmedFault): string | null {
  const needs = met(fault)?.needs ?? 'nothing';
  if (needs === 'a-read' && situation.inRecovery === 'fence') {
    return 'a fence is planted, nothing is read that could be old or on another page';
  }
  return needs === 'stored-keys' && situation.atFirst !== 'dedupes'
    ? 'only a service that stores keys can do this'
    : null;
}

/** Why this world can't come together with the rest of the scenario, or null. */
function unmetByWorld(
  declaration: TargetDeclaration,
  situation: Situation,
  { world, fault, kill, caller }: Scenario,
): string | null {
  if (world.startsWith('premise-changed') && !situation.readsPremises) {
    return 'the target captures no premise of that kind';
  }
  if (world === 'done-by-hand' && declaration.onceByState && !situation.readsPremises) {
    return 'the service itself refuses what was done by hand, and no premise says so before';
  }
  if (world === 'undone-by-hand' && declaration.lookup?.seesDeletions === false) {
    return 'a lookup that does not see deletions can’t tell what was undone from what never was';
  }
  if (
    world === 'authority-expired' &&
    withinReachOf(declaration, leaseLifeMs + 2 * beyondLeaseMs)
  ) {
    return 'the window ends before the lease would';
  }
  if (situation.ends === 'premises' && callerFacts(caller).second !== 'none') {
    return 'which of two decisions a request is for can’t be told, and only one stands on a stale premise';
  }
  if (!situation.readsPremises) return null;
  const facts = met(fault);
  if (facts?.reached === false && ['first-send', 'caller'].includes(phaseOf(fault) ?? '')) {
    return 'the reading of the premises meets the connection before the send does';
  }
  if (fault.fault === 'paged' || fault.fault === 'paged-changing') {
    return 'the look-alikes would themselves change the premises';
  }
  return kill.startsWith('wire:')
    ? 'the wire can’t tell the reading of the premises from the call by its first bytes'
    : null;
}

/** Why the outage can't change what it is to change, or null. */
function unmetInOutage(
  { onceByState }: TargetDeclaration,
  world: WorldEvent,
  first: Exclude<First, { kind: 'cannot-meet' }>,
): string | null {
  if (world === 'undone-by-hand') {
    const isThere =
      (first.kind === 'in-flight' && first.sent.landing === 'now') ||
      (first.kind === 'recorded' && first.endings.every((ending) => ending.effects === 1));
    return isThere ? null : 'nothing is certain to be there yet that could be undone';
  }
  if (world === 'done-by-hand' && onceByState && mayLand(first)) {
    return 'what the service permits once is there already, or could not land after it was done by hand';
  }
  const landsLater = first.kind === 'in-flight' && first.sent.landing === 'later';
  return world === 'rail-restarted' && landsLater
    ? 'what the service had not finished when it restarts can’t land later'
    : null;
}

function mayLand(first: Exclude<First, { kind: 'cannot-meet' }>): boolean {
  switch (first.kind) {
    case 'nothing-sent-nothing-recorded':
      return false;
    case 'in-flight':
      return first.sent.landing !== 'never';
    case 'recorded':
      return first.endings.some((ending) => ending.effects > 0);
    case 'answered-perhaps-recorded':
      return true;
    default:
      return first satisfies never;
  }
}

function answersTo(scenario: Scenario, endings: readonly Ending[]): readonly Claim[] {
  switch (scenario.caller) {
    case 'changed-amount':
      return ['R'];
    case 'invented-reason':
      // It waits for a person, or is refused; nothing was sent.
      return ['U', 'R', 'A'];
    case 'gives-up':
      return [];
    default:
      return [...new Set(endings.map((ending) => ending.claim))];
  }
}

/** A second decision of its own: what stands against the first decision's facts does not stand against it. */
function secondAfter(situation: Situation, scenario: Scenario): readonly Ending[] {
  if (callerFacts(scenario.caller).second !== 'after') return [];
  if (situation.ends === 'authority') return [refused];
  return met(situation.fault)?.lasts === 'forever' ? cutOffAtFirst(situation) : [happened];
}

/** Under a cap for one, whoever has an effect, or may have one, keeps the other out. */
function racingFirst(answered: readonly Ending[], recovered: readonly Ending[]): readonly Ending[] {
  return recovered.some(isAbsent) ? union(answered, [refused]) : answered;
}

function racingSecond({ ends }: Situation, recovered: readonly Ending[]): readonly Ending[] {
  return recovered.some(isAbsent) && ends !== 'authority' ? [refused, happened] : [refused];
}

/** Exactly one goes out, unless the first may already have and nobody can know, or none may. */
function boundByCap(recovered: readonly Ending[], { ends }: Situation) {
  const isKnown = recovered.every(({ claim }) => claim === 'H' || claim === 'A');
  return { least: isKnown && ends !== 'authority' ? 1 : 0, most: 1 };
}

/**
 * A paused process is alive: whoever comes meanwhile learns that the intent is owned, and sends nothing.
 * Once it goes on, its one effect is there.
 */
function expectPaused(scenario: Scenario): Expectation {
  const { kill, fault, world, caller, recoveryKills, rivalAt } = scenario;
  const plain = fault.fault === 'none' && world === 'none' && caller === 'same-again';
  if (!plain || recoveryKills.length > 0 || rivalAt !== undefined) {
    return cannotMeet(
      'a paused process is tried alone: no fault, no other kill, the same asked again',
    );
  }
  const working = (effects: number): Expectation => ({
    kind: 'reachable',
    o1: [{ claim: 'W', effects }],
    o2: [happened],
    answers: ['W', 'H'],
    ...noSecond,
  });
  switch (kill) {
    case 'before_wal':
      return {
        kind: 'reachable',
        o1: [absent, { claim: 'W', effects: 0 }],
        o2: [happened],
        answers: ['W', 'H'],
        ...noSecond,
      };
    case 'after_wal_before_call':
      return working(0);
    case 'after_call_before_commit':
      return working(1);
    case 'after_commit_before_ack':
      return { kind: 'reachable', o1: [happened], o2: [happened], answers: ['H'], ...noSecond };
    default:
      return cannotMeet('a process can be paused only where it announces that it stands still');
  }
}

/** `H1`, or `A0 or H1` where two are allowed. */
export function formatEndings(endings: readonly Ending[]): string {
  return endings.map((ending) => `${ending.claim}${ending.effects}`).join(' or ');
}

interface Situation {
  readonly atFirst: GuaranteeClass;
  readonly afterOutage: GuaranteeClass;
  /** What there is besides keys where a resend must not go out or tells nothing: a lookup, or nothing. */
  readonly withoutResend: GuaranteeClass;
  /** What recovery has to learn with: a resend only where one may go out. */
  readonly inRecovery: GuaranteeClass;
  /** False when the authority has died or a premise has changed by the time a send would be needed. */
  readonly maySend: boolean;
  readonly ends: 'nothing' | 'authority' | 'premises';
  /** Before every send the service is read, which faults of connections meet too. */
  readonly readsPremises: boolean;
  readonly fault: ArmedFault;
}

type First =
  | { readonly kind: 'cannot-meet'; readonly why: string }
  | { readonly kind: 'nothing-sent-nothing-recorded' }
  | { readonly kind: 'in-flight'; readonly sent: Sent }
  | { readonly kind: 'recorded'; readonly endings: readonly Ending[] }
  | { readonly kind: 'answered-perhaps-recorded' };

/** What became of one send, and what that does to every later look. */
type Sent = Pick<FaultFacts, 'landing' | 'reached' | 'lasts'>;

const undisturbed: Sent = { landing: 'now', reached: true, lasts: 'once' };

/** Where the first incarnation leaves the effect. */
function firstIncarnation(situation: Situation, kill: KillPoint): First {
  const fault = metIn('first-send', situation.fault);
  const ended = kill === 'after_call_before_commit' || kill === 'after_commit_before_ack';
  if (fault !== null && !ended) {
    return cannotMeet('the process dies before its first call has ended, so no fault can meet it');
  }
  const inFlight = (landing: Landing, reached: boolean): First => ({
    kind: 'in-flight',
    sent: { landing, reached, lasts: 'once' },
  });
  switch (kill) {
    case 'before_wal':
      return { kind: 'nothing-sent-nothing-recorded' };
    case 'after_wal_before_call':
      return inFlight('never', false);
    case 'during_call:now':
      return inFlight('now', true);
    case 'during_call:later':
    case 'during_call:running':
      return inFlight('later', true);
    case 'during_call:never':
      return inFlight('never', true);
    case 'after_call_before_commit':
      return { kind: 'in-flight', sent: fault ?? undisturbed };
    case 'after_commit_before_ack':
      if (fault === null) return { kind: 'recorded', endings: [happened] };
      // An indefinite answer makes the gate learn once, in the same process, before its last word.
      return { kind: 'recorded', endings: learn(situation, situation.atFirst, fault) };
    case 'wire:connection':
    case 'wire:first-byte':
      return inFlight('never', false);
    case 'wire:half-request':
    case 'wire:whole-request':
      // Half is given on by a wire that has the whole: the last byte was sent, and a mark of no return
      // was made before it.
      return inFlight('never', true);
    case 'wire:applied':
    case 'wire:first-reply-byte':
    case 'wire:half-reply':
      return inFlight('now', true);
    case 'wire:whole-reply':
      // The answer was handed over: the gate may have recorded it, and may not.
      return { kind: 'answered-perhaps-recorded' };
    default:
      return kill satisfies never;
  }
}

/** What the recovery routine finds out about an attempt that is in flight. */
function learn(situation: Situation, cls: GuaranteeClass, sent: Sent): readonly Ending[] {
  const { landing, reached, lasts } = sent;
  const unknown: Ending = { claim: 'U', effects: landing === 'never' ? 0 : 1 };
  // Before the mark of no return nothing can have landed, whatever the network does.
  if (cls === 'neither-marked') return reached ? [unknown] : [absent];
  if (lasts === 'forever') return [unknown];
  switch (cls) {
    case 'dedupes':
      // Sending the same key again is the look: it makes or finds the one effect. Where no answer to a
      // send can be believed any more, the service is asked, if it can be.
      return lasts === 'sticky'
        ? learn(situation, situation.withoutResend, { ...sent, lasts: 'once' })
        : [happened];
    case 'window-over':
    case 'neither':
      return [unknown];
    case 'fence':
      if (landing === 'never') return [absent];
      // The fence and the orphan race; whoever is first stops the other.
      return landing === 'now' ? [happened] : [absent, happened];
    case 'bound':
      return landing === 'never' ? [absent] : [happened];
    case 'unbounded':
      if (landing === 'never') return [unknown];
      return landing === 'now' ? [happened] : [happened, unknown];
    default:
      return cls satisfies never;
  }
}

interface Recovery {
  readonly endings: readonly Ending[];
  /** What recovery does to learn; nothing where there is nothing to learn. */
  readonly means: 'resend' | 'look' | 'neither' | 'nothing-to-learn';
}

function afterRecovery(
  situation: Situation,
  first: Exclude<First, { kind: 'cannot-meet' }>,
): Recovery {
  switch (first.kind) {
    case 'nothing-sent-nothing-recorded':
      return { endings: [absent], means: 'nothing-to-learn' };
    case 'recorded':
      return {
        endings: union(
          first.endings,
          first.endings.flatMap((ending) => looksAgain(situation, ending)),
        ),
        means: 'nothing-to-learn',
      };
    case 'in-flight':
      return learnInRecovery(situation, first.sent);
    case 'answered-perhaps-recorded': {
      const unrecorded = learnInRecovery(situation, undisturbed);
      // Nothing can be counted on in a recovery that may have nothing to do.
      return { endings: union([happened], unrecorded.endings), means: 'nothing-to-learn' };
    }
    default:
      return first satisfies never;
  }
}

function learnInRecovery(situation: Situation, sent: Sent): Recovery {
  const cls = situation.inRecovery;
  if (cls === 'dedupes') {
    const resent = metIn('resend', situation.fault);
    if (resent === null || resent.lasts === 'once') {
      return { endings: learn(situation, cls, sent), means: 'resend' };
    }
    // Either of the two that landed is the one effect; the resend landed before anybody looks.
    const { landing } = resent.landing === 'never' ? sent : resent;
    return { endings: learn(situation, cls, { ...resent, landing }), means: 'resend' };
  }
  const looks = cls === 'fence' || cls === 'bound' || cls === 'unbounded';
  if (!looks) return { endings: learn(situation, cls, sent), means: 'neither' };
  const blinded = metIn('look', situation.fault)?.lasts === 'forever';
  return {
    endings: learn(situation, cls, blinded ? { ...sent, lasts: 'forever' } : sent),
    means: 'look',
  };
}

/** Why the fault or the kills meant for recovery can't meet it, or null. */
function unmetInRecovery(
  situation: Situation,
  first: Exclude<First, { kind: 'cannot-meet' }>,
  recovery: Recovery,
  recoveryKills: readonly RecoveryPoint[],
): string | null {
  const phase = phaseOf(situation.fault);
  if (phase === 'resend' && recovery.means !== 'resend') {
    return 'recovery sends nothing here, so no fault can meet a resend';
  }
  if (phase === 'look') {
    if (recovery.means !== 'look') return 'recovery asks nothing here, so no fault can meet a look';
    if (
      first.kind === 'in-flight' &&
      first.sent.landing === 'later' &&
      met(situation.fault)?.lasts === 'forever'
    ) {
      return 'a request meant to land after the first look has none to wait for';
    }
  }
  const reached = recoveryPointsOf(situation, first, recovery);
  const missed = recoveryKills.find((point) => !reached.includes(point));
  return missed === undefined ? null : `recovery does not come to ${missed} here`;
}

function recoveryPointsOf(
  situation: Situation,
  first: Exclude<First, { kind: 'cannot-meet' }>,
  recovery: Recovery,
): readonly RecoveryPoint[] {
  switch (recovery.means) {
    case 'resend':
      return ['owned', 'before-resend', 'before-settle'];
    case 'look':
      return ['owned', 'before-lookup', 'after-lookup', 'before-settle'];
    case 'neither':
      // What died before its mark of no return is settled by taking it over.
      return situation.inRecovery === 'neither-marked' &&
        first.kind === 'in-flight' &&
        !first.sent.reached
        ? ['owned']
        : ['owned', 'before-settle'];
    case 'nothing-to-learn':
      return [];
    default:
      return recovery.means satisfies never;
  }
}

type Answered =
  | { readonly kind: 'cannot-meet'; readonly why: string }
  | { readonly kind: 'answered'; readonly endings: readonly Ending[] };

function afterCaller(
  situation: Situation,
  recovered: readonly Ending[],
  scenario: Scenario,
  triedBefore: boolean,
): Answered {
  const fault = metIn('caller', scenario.fault);
  const { again, second, together } = callerFacts(scenario.caller);
  if (
    second === 'racing' &&
    met(situation.fault)?.lasts !== 'once' &&
    met(situation.fault) !== null
  ) {
    return cannotMeet('which of two racing requests gets through to a failing service is open');
  }
  if (fault !== null && second !== 'none') {
    return cannotMeet('which of two decisions the fault meets is not said');
  }
  if (second !== 'none' && met(situation.fault)?.lasts === 'sticky') {
    return cannotMeet('a second decision after answers that can’t be believed is not tried');
  }
  const certainlySends = again && situation.maySend && recovered.every(isAbsent);
  if (fault !== null && !certainlySends) {
    return cannotMeet(
      'the caller’s request need not be sent here, so no fault can be counted on to meet it',
    );
  }
  if (!again) return { kind: 'answered', endings: recovered };
  const lasting = met(situation.fault);
  const cutOff = lasting?.lasts === 'forever';
  const endings = recovered.flatMap((ending): readonly Ending[] => {
    if (!isAbsent(ending)) return looksAgain(situation, ending);
    if (!situation.maySend) return [refused];
    // A connection that never comes back leaves the next attempt where it left the last, and a stored
    // failure is replayed to whoever sends its key again.
    if (fault === null && cutOff) return cutOffAtFirst(situation);
    if (fault === null) {
      const replayed = lasting?.lasts === 'sticky' && situation.afterOutage === 'dedupes';
      return replayed ? learn(situation, situation.atFirst, lasting) : [happened];
    }
    if (cutOff && triedBefore && situation.atFirst === 'fence') {
      // Who takes a fence over reads it first; where that fails, it is known that nothing was sent.
      return [absent, { claim: 'U', effects: 0 }];
    }
    const learnt = learn(situation, situation.atFirst, fault).flatMap((next) =>
      looksAgain(situation, next),
    );
    // Once an attempt is proven absent, the next of several callers may send again.
    const maySendAgain = together && fault.lasts === 'once' && learnt.some(isAbsent);
    return maySendAgain ? [...learnt, happened] : learnt;
  });
  return { kind: 'answered', endings: union(endings, []) };
}

/** A later look of a target that can be asked finds what has landed by then. */
function looksAgain(situation: Situation, ending: Ending): readonly Ending[] {
  const canLook = situation.inRecovery === 'unbounded' && met(situation.fault)?.lasts !== 'forever';
  return canLook && ending.claim === 'U' && ending.effects === 1 ? [happened] : [ending];
}

/** The first attempt of a decision that no connection carries. */
function cutOffAtFirst(situation: Situation): readonly Ending[] {
  return learn(situation, situation.atFirst, {
    ...undisturbed,
    landing: 'never',
    reached: false,
    lasts: 'forever',
  });
}

const noSecond = { second: [], together: null } as const;
const happened: Ending = { claim: 'H', effects: 1 };
const absent: Ending = { claim: 'A', effects: 0 };
const refused: Ending = { claim: 'R', effects: 0 };

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

function met(fault: ArmedFault): FaultFacts | null {
  return fault.fault === 'none' ? null : faultTable[fault.fault];
}

function metIn(
  phase: 'first-send' | 'look' | 'resend' | 'caller',
  fault: ArmedFault,
): FaultFacts | null {
  return phaseOf(fault) === phase ? met(fault) : null;
}

function phaseOf(fault: ArmedFault): 'first-send' | 'look' | 'resend' | 'caller' | null {
  return fault.fault === 'none' ? null : fault.phase;
}

function outlastsWindow(declaration: TargetDeclaration, world: WorldEvent): boolean {
  return world === 'long-outage' && withinReachOf(declaration, Number.POSITIVE_INFINITY);
}

/** Whether the dedupe window ends within so many milliseconds of the first attempt. */
function withinReachOf({ dedupe }: TargetDeclaration, durationMs: number): boolean {
  return dedupe !== null && dedupe.windowMs !== 'forever' && dedupe.windowMs <= durationMs;
}

function cannotMeet(why: string): { kind: 'cannot-meet'; why: string } {
  return { kind: 'cannot-meet', why };
}
