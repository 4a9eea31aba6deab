/**
 * One trial, told in order. In: a spec and what the run holds open. Out: a history on disk. It judges
 * nothing and believes nobody: it kills, waits, asks, reads the journal, and writes down who said what.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RailNamespace } from '../../adapters/rail.ts';
import type { JsonObject } from '../../adapters/target.ts';
import type { SubmitMessage } from '../../gate/protocol.ts';
import { createFaultInjector, type FaultInjector } from '../faults/index.ts';
import { HarnessError } from '../model/errors.ts';
import type { ObservedEvent } from '../model/history.ts';
import { announcedPointOf } from '../model/kill-points.ts';
import type { TrialSpec } from '../model/trial.ts';
import { type Handling, openWire, type Wire, type WireRequest } from '../wire/wire.ts';
import { makeControl } from './control.ts';
import type { Lab, LoadedTarget } from './lab.ts';
import { openRecorder, type Recorder } from './recorder.ts';
import { type SubjectProcess, type SubjectRegistry, startSubject } from './subject-process.ts';

export interface TrialInput {
  readonly spec: TrialSpec;
  readonly historyPath: string;
  readonly lab: Lab;
  readonly registry: SubjectRegistry;
  readonly signal: AbortSignal;
  /** A folder of the trial's own: ledger, stdout and stderr end up here. */
  readonly workspace: string;
}

/**
 * Runs the trial and writes its history. What keeps the harness from observing is written into the
 * history and makes it inconclusive; only an interruption is thrown.
 */
export async function runTrial(input: TrialInput): Promise<void> {
  const recorder = openRecorder(input.historyPath, input.spec);
  const target = input.lab.targetOf(input.spec.cell.target);
  let namespace: RailNamespace | undefined;
  try {
    namespace = await target.rail.openNamespace(input.spec.id);
    await new Trial(input, recorder, target, namespace).run();
    recorder.finish();
  } catch (error) {
    if (input.signal.aborted) {
      recorder.abandon();
      throw new HarnessError('interrupted', 'the run was interrupted', error);
    }
    if (!(error instanceof HarnessError)) {
      recorder.abandon();
      throw error;
    }
    recorder.observe({ type: 'harness-error', code: error.code, message: error.message });
    recorder.finish();
  } finally {
    await namespace?.close?.();
  }
}

/** The second process of a storm gets two of the five submits, the third one. */
const stormShares = [2, 2, 1];

class Trial {
  private readonly input: TrialInput;
  private readonly spec: TrialSpec;
  private readonly recorder: Recorder;
  private readonly target: LoadedTarget;
  private readonly namespace: RailNamespace;
  private readonly injector: FaultInjector;
  private readonly wire: Wire;
  private readonly request: JsonObject;
  private readonly changed: JsonObject;
  private readonly lease: string;
  private readonly running = new Set<SubjectProcess>();
  private incarnations = 0;
  private messages = 0;
  private requests = 0;
  private wireKillPlaced = false;

  constructor(
    input: TrialInput,
    recorder: Recorder,
    target: LoadedTarget,
    namespace: RailNamespace,
  ) {
    this.input = input;
    this.spec = input.spec;
    this.recorder = recorder;
    this.target = target;
    this.namespace = namespace;
    const examples = namespace.examples(this.spec.draws.examples);
    this.request = examples.request;
    this.changed = examples.changed;
    this.lease = `lease-${this.spec.seed}-${this.spec.trial}`;
    this.injector = createFaultInjector({
      fault: this.spec.cell.fault,
      observe: this.observe,
      resetIdle: () => this.wire.resetIdle(),
    });
    this.wire = openWire({
      upstream: namespace.endpoint,
      decisions: {
        connection: (info) => this.injector.connection(info),
        request: (request) => this.wireKillHandling(request) ?? this.injector.request(request),
      },
      observe: this.observe,
    });
  }

  async run(): Promise<void> {
    this.input.lab.authority.grant(this.lease, {
      kind: 'live',
      expiresAtMs: null,
      coversReasons: [],
    });
    try {
      await this.prepare();
      await this.firstIncarnation();
      this.enter('outage');
      const recovering = await this.recover();
      await this.observeFrom(recovering, 'O1');
      await this.letCallerAskAgain(recovering);
      await this.observeFresh();
      this.enter('collect');
    } finally {
      await this.cleanUp();
    }
  }

  /** The workspace, and the proof that this journal shows an effect when there is one. */
  private async prepare(): Promise<void> {
    this.enter('prepare');
    mkdirSync(this.ledgerFolder, { recursive: true });
    this.observe(await makeControl(this.target, this.namespace, this.spec));
  }

  private async firstIncarnation(): Promise<void> {
    this.enter('first');
    this.injector.enter('first-send');
    const point = this.spec.cell.kill;
    const announced = announcedPointOf(point);
    const subject = await this.start(
      'first',
      announced === null ? [] : [{ point: announced, occurrence: 1 }],
    );
    const { incarnation } = subject;
    this.observe({
      type: 'kill-armed',
      incarnation,
      point,
      intent: this.nextRequestId(),
      attempt: announced === 'before_wal' ? 0 : 1,
      occurrence: 1,
    });

    const reached =
      announced === null ? this.wireReachesPoint(incarnation) : this.subjectReachesPoint(subject);
    const answered = this.submit(subject, this.request);
    const how = await Promise.race([reached, answered.then(() => null)]);
    if (how === null) {
      throw new HarnessError(
        'point-not-reached',
        `expected the subject to reach ${point} on its first submit; it answered, died or fell silent instead`,
      );
    }
    this.observe({ type: 'point-reached', incarnation, point, by: how });
    await pause(this.spec.draws.killJitterMs);
    await subject.kill();
    this.running.delete(subject);
    await answered;

    const drained = await this.wire.whenSenderGone(incarnation, this.spec.bounds.drainMs);
    this.observe({ type: 'drained', incarnation, complete: drained });
    this.injector.enter(null);
  }

  /** Starts the next incarnation and lets it recover; half of the storms break in meanwhile. */
  private async recover(): Promise<SubjectProcess> {
    this.enter('recovery');
    const { caller } = this.spec.cell;
    const overlaps = caller === 'storm' && this.spec.draws.stormOverlapsRecovery;
    this.injector.enter(overlaps ? this.armedPhase : 'resend');
    const subject = await this.start('recovery', []);
    const others = overlaps ? await this.startStorm() : [];
    const recovered = this.askToRecover(subject);
    if (overlaps) {
      this.enter('caller');
      await this.storm([subject, ...others]);
      await this.stopAll(others);
    }
    await recovered;
    if (!overlaps) this.injector.enter(null);
    await this.letHeldRequestsLand();
    return subject;
  }

  private async letCallerAskAgain(subject: SubjectProcess): Promise<void> {
    const { caller } = this.spec.cell;
    if (caller === 'storm' && this.spec.draws.stormOverlapsRecovery) return;
    this.enter('caller');
    this.injector.enter('caller');
    switch (caller) {
      case 'same-again':
        await this.submit(subject, this.request);
        break;
      case 'changed-amount':
        await this.submit(subject, this.changed);
        break;
      case 'storm': {
        const others = await this.startStorm();
        await this.storm([subject, ...others]);
        await this.stopAll(others);
        break;
      }
      default:
        caller satisfies never;
    }
    this.injector.enter(null);
    await this.letHeldRequestsLand();
  }

  private async observeFrom(subject: SubjectProcess, observation: 'O1' | 'O2'): Promise<void> {
    await this.settle(observation);
    this.enter(observation);
    const answer = await subject.call(
      { type: 'ask', id: this.nextMessage(), request: this.request },
      this.spec.bounds.answerMs,
    );
    this.stopIfInterrupted();
    this.noteSilence(subject, answer.kind);
    if (answer.kind === 'outcome') {
      const { type: _type, re: _re, ...outcome } = answer.outcome;
      this.observe({ type: 'observed', observation, incarnation: subject.incarnation, outcome });
    } else {
      this.observe({
        type: 'observed',
        observation,
        incarnation: subject.incarnation,
        outcome: null,
      });
    }
    this.observe({ type: 'journal', observation, effects: [...(await this.readJournal())] });
  }

  /** What a gate remembers is what a fresh process says: whoever answered the caller is stopped first. */
  private async observeFresh(): Promise<void> {
    await this.stopAll([...this.running]);
    const observer = await this.start('observer', []);
    await this.askToRecover(observer);
    await this.observeFrom(observer, 'O2');
  }

  private get ledgerFolder(): string {
    return join(this.input.workspace, 'ledger');
  }

  private get armedPhase() {
    const { fault } = this.spec.cell;
    return fault.fault === 'none' ? null : fault.phase;
  }

  private async start(
    role: 'first' | 'recovery' | 'storm' | 'observer',
    armed: readonly {
      point: NonNullable<ReturnType<typeof announcedPointOf>>;
      occurrence: number;
    }[],
  ): Promise<SubjectProcess> {
    this.stopIfInterrupted();
    this.incarnations += 1;
    const incarnation = this.incarnations;
    const endpoint = await this.wire.listen(incarnation);
    const subject = await startSubject({
      command: this.spec.gate.command,
      cwd: this.input.workspace,
      env: {},
      token: `${process.pid}-${this.spec.seed}-${this.spec.id}`,
      incarnation,
      role,
      observe: this.observe,
      stdoutPath: join(this.input.workspace, `stdout-${incarnation}.txt`),
      stderrPath: join(this.input.workspace, `stderr-${incarnation}.txt`),
      registry: this.input.registry,
      readyMs: this.spec.bounds.readyMs,
      start: {
        type: 'start',
        protocol: 1,
        ledger: this.ledgerFolder,
        target: {
          module: this.target.modulePath,
          export: this.target.declared.target.export,
          endpoint,
          credentials: this.namespace.credentials,
          options: this.spec.target.options,
        },
        authority: { url: this.input.lab.authority.url },
        declaration: this.spec.declaration,
        clockOffsetMs: 0,
        armed: [...armed],
      },
    });
    this.running.add(subject);
    return subject;
  }

  private async subjectReachesPoint(subject: SubjectProcess): Promise<'announced' | null> {
    const at = await subject.nextAt();
    return at === 'ended' ? null : 'announced';
  }

  /** The kill is placed where the sub-case says what becomes of the request. */
  private async wireReachesPoint(incarnation: number): Promise<'wire' | null> {
    const { kill } = this.spec.cell;
    const sign =
      kill === 'during_call:now' ? 'replied' : kill === 'during_call:later' ? 'held' : 'dropped';
    const event = await this.recorder.next(
      (candidate) => candidate.type === sign && candidate.incarnation === incarnation,
      this.spec.bounds.answerMs,
    );
    return event === undefined ? null : 'wire';
  }

  private wireKillHandling(request: WireRequest): Handling | undefined {
    if (request.incarnation !== 1 || !request.mutating || this.wireKillPlaced) return undefined;
    const handling = wireKillHandlings[this.spec.cell.kill];
    if (handling !== undefined) this.wireKillPlaced = true;
    return handling;
  }

  private async askToRecover(subject: SubjectProcess): Promise<void> {
    const answer = await subject.call(
      { type: 'recover', id: this.nextMessage() },
      this.spec.bounds.answerMs,
    );
    this.stopIfInterrupted();
    this.noteSilence(subject, answer.kind);
  }

  private async submit(subject: SubjectProcess, request: JsonObject): Promise<void> {
    const message: SubmitMessage = {
      type: 'submit',
      id: this.nextMessage(),
      requestId: this.nextRequestId(),
      request,
      lease: this.lease,
      premises: [],
    };
    this.requests += 1;
    const answer = await subject.call(message, this.spec.bounds.answerMs);
    this.noteSilence(subject, answer.kind);
  }

  private async startStorm(): Promise<readonly SubjectProcess[]> {
    return Promise.all(stormShares.slice(1).map(() => this.start('storm', [])));
  }

  private async storm(subjects: readonly SubjectProcess[]): Promise<void> {
    await Promise.all(
      subjects.flatMap((subject, index) =>
        Array.from({ length: stormShares[index] ?? 0 }, () => this.submit(subject, this.request)),
      ),
    );
    this.stopIfInterrupted();
  }

  /** What was meant to land late lands now: its sender has given up or is dead. */
  private async letHeldRequestsLand(): Promise<void> {
    if (this.wire.held() === 0) return;
    await pause(this.spec.draws.holdMs);
    this.wire.release();
  }

  private async settle(observation: 'O1' | 'O2'): Promise<void> {
    const quiet = await this.wire.whenQuiet(this.spec.bounds.settleMs);
    const railIdle = this.namespace.idle?.() ?? true;
    this.observe({
      type: 'settled',
      observation,
      complete: quiet && railIdle,
      openOnWire: this.wire.open(),
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

  private noteSilence(
    subject: SubjectProcess,
    kind: 'outcome' | 'done' | 'ended' | 'silent',
  ): void {
    if (kind !== 'silent') return;
    const detail = `no answer within ${this.spec.bounds.answerMs} ms`;
    this.observe({
      type: 'subject-misbehaved',
      incarnation: subject.incarnation,
      what: 'silent',
      detail,
    });
  }

  private async stopAll(subjects: readonly SubjectProcess[]): Promise<void> {
    await Promise.all(subjects.map((subject) => subject.stop(this.spec.bounds.drainMs)));
    for (const subject of subjects) this.running.delete(subject);
  }

  private async cleanUp(): Promise<void> {
    await this.stopAll([...this.running]);
    await this.wire.close();
    this.input.lab.authority.forget(this.lease);
  }

  private nextMessage(): number {
    this.messages += 1;
    return this.messages;
  }

  private nextRequestId(): string {
    return `request-${this.requests + 1}`;
  }

  private stopIfInterrupted(): void {
    if (this.input.signal.aborted) throw new HarnessError('interrupted', 'the run was interrupted');
  }

  private enter(phase: Extract<ObservedEvent, { type: 'phase' }>['phase']): void {
    this.observe({ type: 'phase', phase });
  }

  private readonly observe = (event: ObservedEvent): void => this.recorder.observe(event);
}

const wireKillHandlings: Partial<Record<TrialSpec['cell']['kill'], Handling>> = {
  'during_call:now': { upstream: 'forward', reply: 'withhold' },
  'during_call:later': { upstream: 'hold', reply: 'withhold' },
  'during_call:never': { upstream: 'discard', reply: 'withhold' },
};

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
