/**
 * One trial, told in order. It judges nothing and believes nobody: it kills, waits, asks, reads the
 * journal, and writes down who said what.
 */
import { mkdirSync } from 'node:fs';
import type { Examples, HeldRequest, RailNamespace } from '../../adapters/rail.ts';
import type { Circumstances } from '../faults/fault.ts';
import { createFaultInjector, type FaultInjector } from '../faults/index.ts';
import {
  type ArmedKill,
  describeAnnouncement,
  describeArmed,
  isArmedPoint,
} from '../kills/armed-point.ts';
import { callerFacts } from '../model/caller-table.ts';
import type { Phase } from '../model/cell.ts';
import { HarnessError } from '../model/errors.ts';
import { isWireFault, railFaultOf } from '../model/fault-table.ts';
import type { ObservedEvent } from '../model/history.ts';
import { announcedPointOf, type RecoveryPoint } from '../model/kill-points.ts';
import { submittedPremises } from '../model/mandate.ts';
import type { TrialSpec } from '../model/trial.ts';
import { openWire, type Wire } from '../wire/wire.ts';
import { behave, firstRequestId, type Requests, startStorm, storm } from './callers.ts';
import { makeControl } from './control.ts';
import type { Lab, LoadedTarget } from './lab.ts';
import { createLateLanding, type LateLanding, landingTimeOf } from './late-landing.ts';
import { letWorldMove } from './outage.ts';
import { PremiseWitness } from './premise-witness.ts';
import type { Recorder } from './recorder.ts';
import {
  type PausedSubject,
  pauseStanding,
  recoverBeside,
  type StandingSubject,
} from './standing-still.ts';
import type { SubjectProcess, SubjectRegistry } from './subject-process.ts';
import { Subjects, type SubjectsOptions } from './subjects.ts';
import { grantLease, type TrialLease } from './trial-lease.ts';
import { inTurn, within } from './waits.ts';
import { WireKill } from './wire-kills.ts';

/** Who recovers, and who has come beside it. */
interface Recovering {
  readonly subject: SubjectProcess;
  readonly beside: readonly SubjectProcess[];
}

export interface TrialInput {
  readonly spec: TrialSpec;
  readonly historyPath: string;
  readonly lab: Lab;
  readonly registry: SubjectRegistry;
  readonly signal: AbortSignal;
  /** Of all trials of the lab this one's alone; ids and seeds may come twice. */
  readonly number: number;
  /** A folder of the trial's own: ledger, stdout and stderr end up here. */
  readonly workspace: string;
}

export interface TrialParts extends TrialInput {
  readonly recorder: Recorder;
  readonly target: LoadedTarget;
  readonly namespace: RailNamespace;
  /** What every incarnation finds in its environment. */
  readonly environment: SubjectsOptions['environment'];
}

export class Trial {
  private readonly spec: TrialSpec;
  private readonly recorder: Recorder;
  private readonly target: LoadedTarget;
  private readonly namespace: RailNamespace;
  private readonly injector: FaultInjector;
  private readonly circumstances: { -readonly [Key in keyof Circumstances]: Circumstances[Key] };
  private readonly late: LateLanding;
  private readonly wire: Wire;
  private readonly wireKill: WireKill;
  readonly subjects: Subjects;
  private readonly lease: TrialLease;
  private readonly examples: Examples;
  requests: Requests;
  private witness: PremiseWitness | null = null;
  private heldWork: HeldRequest | null = null;
  private railFaultArmed = false;

  constructor(parts: TrialParts) {
    const { spec, recorder, target, namespace } = parts;
    this.spec = spec;
    this.recorder = recorder;
    this.target = target;
    this.namespace = namespace;
    this.examples = namespace.examples(spec.draws.examples);
    this.requests = { ...this.examples, premises: [] };
    this.lease = grantLease(parts, this.examples);
    this.circumstances = {
      foreignReply: null,
      clientTimeoutMs: spec.declaration.clientTimeoutMs,
      lostReply: lostReplyOf(spec, namespace),
    };
    this.injector = createFaultInjector({
      fault: spec.cell.fault,
      observe: this.observe,
      resetIdle: () => this.wire.resetIdle(),
      circumstances: this.circumstances,
    });
    this.late = createLateLanding({
      time: landingTimeOf(spec, namespace.endpoint.protocol === 'postgres'),
      holdMs: spec.draws.holdMs,
      senderIsKilled:
        spec.cell.kill === 'during_call:later' || spec.cell.kill === 'after_call_before_commit',
      landingBoundMs:
        typeof spec.declaration.absence === 'object'
          ? spec.declaration.absence.landingBoundMs
          : null,
      release: () => this.letGo(),
      overdue: (heldMs) =>
        this.observe({
          type: 'harness-error',
          code: 'landed-too-late',
          message: `a late request was held for ${Math.round(heldMs)} ms, longer than its target declares; the machine was short of breath, run it again`,
        }),
    });
    this.wireKill = new WireKill(spec.cell.kill);
    this.wire = openWire({
      upstream: namespace.endpoint,
      decisions: {
        connection: (info) => this.wireKill.connection(info) ?? this.injector.connection(info),
        began: (info) => this.wireKill.began(info),
        request: (request) => this.wireKill.request(request) ?? this.injector.request(request),
      },
      observe: this.observe,
      makesNoEffect: (request) => namespace.makesNoEffect?.(request) ?? false,
    });
    this.subjects = new Subjects({
      ...parts,
      wire: this.wire,
      lease: this.lease,
      observe: this.observe,
    });
  }

  async run(): Promise<void> {
    try {
      await this.prepare();
      const paused = await this.firstIncarnation();
      await this.outage();
      const { subject, beside } = await this.recover();
      await this.observeFrom(subject, 'O1');
      await this.subjects.stop(beside);
      await this.letCallerAskAgain(subject);
      await paused?.goOn();
      await this.observeFresh();
      this.enter('collect');
    } finally {
      await inTurn([
        () => this.subjects.close(),
        () => this.witness?.close(),
        () => this.heldWork?.release(),
        () => this.wire.close(),
      ]);
    }
  }

  /** The workspace, and the proof that this journal shows an effect when there is one. */
  private async prepare(): Promise<void> {
    this.enter('prepare');
    mkdirSync(this.subjects.ledgerFolder, { recursive: true });
    const needsForeignReply = this.spec.cell.fault.fault.startsWith('foreign-reply');
    const control = await makeControl(this.target, this.namespace, this.spec, needsForeignReply);
    this.circumstances.foreignReply = control.reply;
    this.observe(control.event);
    const kinds = submittedPremises(this.spec.declaration, this.spec.cell.world);
    if (kinds.length === 0) return;
    const wanted = { request: this.examples.request, kinds };
    const { options } = this.spec.target;
    this.witness = await PremiseWitness.capture(this.target, this.namespace, wanted, options);
    this.requests = { ...this.examples, premises: this.witness.premises };
  }

  /** Brought to its point, and killed there; or only paused, and then it is still there afterwards. */
  private async firstIncarnation(): Promise<PausedSubject | null> {
    this.enter('first');
    this.armFault('first-send');
    const point = this.spec.cell.kill;
    const announced = announcedPointOf(point);
    const armed = announced === null ? [] : [{ point: announced, occurrence: 1 }];
    const subject = await this.subjects.start('first', armed);
    await this.armHold();
    const { incarnation } = subject;
    const intent = this.subjects.nextRequestId;
    const attempt = announced === 'before_wal' ? 0 : 1;
    const kill = {
      type: 'kill-armed',
      incarnation,
      point,
      intent,
      attempt,
      occurrence: 1,
    } as const;
    const isPaused = this.spec.cell.paused === true;
    if (!isPaused) this.observe(kill);

    const reached =
      this.heldWork !== null
        ? this.serviceStandsStill(this.heldWork)
        : announced === null
          ? this.wireKill.reached(this.recorder, this.spec.bounds.answerMs)
          : this.subjectReachesPoint(subject, kill);
    const { request, premises } = this.requests;
    const asked = { request, premises };
    const answered = awaitedLater(
      this.subjects.submit(
        subject,
        isPaused ? { ...asked, deadlineMs: this.subjects.standingStillMs } : asked,
      ),
    );
    const how = await Promise.race([reached, answered.then(() => null)]);
    if (how === null) throw pointNotReached(point, 'on its first submit');
    this.observe({ type: 'point-reached', incarnation, point, by: how });
    await pause(this.spec.draws.killJitterMs);
    if (isPaused) return await pauseStanding({ subject, answered });
    await this.subjects.kill(subject);
    await answered;
    this.injector.enter(null);
    return null;
  }

  /** From now on the service stands still over the subject's next effect, where the cell says so. */
  private async armHold(): Promise<void> {
    if (this.spec.cell.kill !== 'during_call:running') return;
    const held = this.namespace.hold?.();
    if (held === undefined) throw this.railCannot('hold its work');
    this.heldWork = held;
    await held.armed;
  }

  /** Resolves to `rail` once the service stands still over the subject's effect, to null when it never does. */
  private async serviceStandsStill(held: HeldRequest): Promise<'rail' | null> {
    if (!(await within(this.spec.bounds.answerMs, held.reached))) return null;
    this.observe({ type: 'work-held' });
    this.late.heldInService();
    return 'rail';
  }

  /** What is held goes on: on the wire, or in the service. */
  private letGo(): void {
    this.wire.release();
    if (this.heldWork === null) return;
    this.observe({ type: 'work-released' });
    this.heldWork.release();
    this.heldWork = null;
  }

  /** What changes while nobody runs. */
  private async outage(): Promise<void> {
    this.enter('outage');
    const change = await letWorldMove({
      spec: this.spec,
      namespace: this.namespace,
      lease: this.lease,
      premises: this.witness,
      request: this.examples.request,
    });
    if (change === null) return;
    this.subjects.clockOffsetMs = change.clockOffsetMs;
    this.observe(change);
  }

  /** Starts the next incarnation and lets it recover, killed again or met by a rival where the cell says so. */
  private async recover(): Promise<Recovering> {
    this.enter('recovery');
    const overlaps = this.stormOverlaps;
    this.armFault(this.armedPhase === 'look' ? 'look' : 'resend');
    const { recoveryKills, rivalAt } = this.spec.cell;
    for (const point of recoveryKills) await this.killRecovery(point);
    if (rivalAt !== undefined) return await this.recoverMetByRival(rivalAt);
    const subject = await this.subjects.start('recovery', []);
    const others = overlaps ? await startStorm(this.subjects) : [];
    const recovered = awaitedLater(this.subjects.recover(subject));
    if (overlaps) {
      // Half of the storms break in while recovery runs.
      this.enter('caller');
      if (this.armedPhase === 'caller') this.armFault('caller');
      await storm([subject, ...others], this);
      await this.subjects.stop(others);
    }
    await recovered;
    if (!overlaps) this.injector.enter(null);
    this.late.phaseOver();
    return { subject, beside: [] };
  }

  private async recoverMetByRival(at: RecoveryPoint): Promise<Recovering> {
    const standing = await this.recoverUpTo(at, 'spared');
    const rival = await recoverBeside(standing, this.subjects);
    this.injector.enter(null);
    this.late.phaseOver();
    return { subject: standing.subject, beside: [rival] };
  }

  private async killRecovery(at: RecoveryPoint): Promise<void> {
    const { subject, answered } = await this.recoverUpTo(at, 'killed');
    await this.subjects.kill(subject);
    await answered;
  }

  /** A recovery that stands still at its point when this resolves. */
  private async recoverUpTo(
    at: RecoveryPoint,
    fate: 'killed' | 'spared',
  ): Promise<StandingSubject> {
    const point = `recovery:${at}` as const;
    const subject = await this.subjects.start('recovery', [{ point, occurrence: 1 }]);
    const { incarnation } = subject;
    const kill = {
      type: 'kill-armed',
      incarnation,
      point,
      intent: firstRequestId,
      attempt: 1,
      occurrence: 1,
    } as const;
    if (fate === 'killed') this.observe(kill);
    const deadlineMs = fate === 'spared' ? this.subjects.standingStillMs : undefined;
    const answered = awaitedLater(this.subjects.recover(subject, deadlineMs));
    const reached = this.subjectReachesPoint(subject, kill);
    const how = await Promise.race([reached, answered.then(() => null)]);
    if (how === null) throw pointNotReached(point, 'in recovery');
    this.observe({ type: 'point-reached', incarnation, point, by: how });
    await pause(this.spec.draws.killJitterMs);
    return { subject, answered };
  }

  private async letCallerAskAgain(subject: SubjectProcess): Promise<void> {
    if (this.stormOverlaps) return;
    this.enter('caller');
    this.armFault('caller');
    await behave(this.spec.cell.caller, subject, this);
    this.injector.enter(null);
    this.late.phaseOver();
  }

  private async observeFrom(subject: SubjectProcess, observation: 'O1' | 'O2'): Promise<void> {
    await this.settle(observation);
    this.enter(observation);
    if (subject.ready.capabilities.ask !== false) await this.askAt(subject, observation);
    this.observe({ type: 'journal', observation, effects: [...(await this.readJournal())] });
  }

  private async askAt(subject: SubjectProcess, observation: 'O1' | 'O2'): Promise<void> {
    const { incarnation } = subject;
    const outcome = await this.subjects.ask(subject, this.requests.request);
    this.observe({ type: 'observed', observation, incarnation, outcome });
    if (observation === 'O2' && callerFacts(this.spec.cell.caller).second !== 'none') {
      const second = await this.subjects.ask(subject, this.requests.distinct);
      this.observe({ type: 'observed', observation: 'second', incarnation, outcome: second });
    }
  }

  /** What a gate remembers is what a fresh process says: whoever answered the caller is stopped first. */
  private async observeFresh(): Promise<void> {
    await this.subjects.stopAll();
    const observer = await this.subjects.start('observer', []);
    await this.subjects.recover(observer);
    await this.observeFrom(observer, 'O2');
  }

  /** Not beside a rival: one thing that meets a recovery at a time. */
  private get stormOverlaps(): boolean {
    const { caller, rivalAt } = this.spec.cell;
    return caller === 'storm' && rivalAt === undefined && this.spec.draws.stormOverlapsRecovery;
  }

  private get armedPhase(): Phase | null {
    const { fault } = this.spec.cell;
    return fault.fault === 'none' ? null : fault.phase;
  }

  /** The wire strikes from now on, or the rail is told to, where this is the phase the cell names. */
  private armFault(phase: Phase | null): void {
    this.injector.enter(phase);
    const { fault } = this.spec.cell;
    if (fault.fault === 'none' || isWireFault(fault.fault)) return;
    if (fault.phase !== phase || this.railFaultArmed) return;
    const name = fault.fault;
    const railFault = railFaultOf(name);
    if (this.namespace.arm === undefined || this.namespace.can?.includes(railFault.kind) !== true) {
      throw this.railCannot(`do ${name}`);
    }
    this.railFaultArmed = true;
    this.observe({ type: 'fault-armed', fault: name, phase });
    this.namespace.arm(railFault, () => this.observe({ type: 'rail-fault-fired', fault: name }));
  }

  /** Another announcement than the armed one is no place to kill at: the ledger would be elsewhere. */
  private async subjectReachesPoint(
    subject: SubjectProcess,
    armed: ArmedKill,
  ): Promise<'announced' | null> {
    const at = await subject.nextAt();
    if (at === 'ended') return null;
    if (isArmedPoint(armed, at)) return 'announced';
    throw new HarnessError(
      'point-not-reached',
      `expected the subject to announce ${describeArmed(armed)}; it announced ${describeAnnouncement(at)}; let it announce only what "armed" of its start message names, at that time`,
    );
  }

  private async settle(observation: 'O1' | 'O2'): Promise<void> {
    const quiet = await this.wire.whenQuiet(this.spec.bounds.settleMs);
    const railIdle = (await this.namespace.idle?.()) ?? true;
    const openOnWire = this.wire.open();
    this.observe({
      type: 'settled',
      observation,
      complete: quiet && railIdle,
      openOnWire,
      railIdle,
    });
  }

  private async readJournal() {
    try {
      return await this.namespace.effects();
    } catch (error) {
      throw new HarnessError(
        'journal-unreadable',
        `the journal of ${this.spec.cell.target} can't be read: ${String(error)}`,
        error,
      );
    }
  }

  private railCannot(what: string): HarnessError {
    return new HarnessError('rail-cannot', `the rail of ${this.spec.cell.target} can’t ${what}`);
  }

  private enter(phase: Extract<ObservedEvent, { type: 'phase' }>['phase']): void {
    this.observe({ type: 'phase', phase });
  }

  private readonly observe = (event: ObservedEvent): void => {
    this.recorder.observe(event);
    this.late.observe(event);
  };
}

/** A client that holds a session tells an end in order from a reset, and waits in silence for long. */
function lostReplyOf({ draws }: TrialSpec, { endpoint }: RailNamespace) {
  const ways = ['postgres', 'smtp', 'smtps'].includes(endpoint.protocol)
    ? (['reset', 'end', 'silence'] as const)
    : (['reset', 'end'] as const);
  return ways[draws.lostReply % ways.length] ?? 'reset';
}

function pointNotReached(point: string, when: string): HarnessError {
  return new HarnessError(
    'point-not-reached',
    `expected the subject to reach ${point} ${when}; it answered, died or fell silent instead`,
  );
}

/** A promise that is awaited further down and may fail before: its failure is not unhandled till then. */
function awaitedLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
