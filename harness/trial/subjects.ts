/**
 * The processes of one trial and what is said to them: starts incarnations, numbers messages, notes
 * silence, stops what still runs. It decides nothing about the trial's course.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { RailNamespace } from '../../adapters/rail.ts';
import type { JsonObject, Premise } from '../../adapters/target.ts';
import type { Resolution } from '../../gate/gate.ts';
import type { ArmedPoint, OutcomeMessage } from '../../gate/protocol.ts';
import { HarnessError } from '../model/errors.ts';
import type { ObservedEvent } from '../model/history.ts';
import type { TrialSpec } from '../model/trial.ts';
import type { Wire } from '../wire/wire.ts';
import type { Lab, LoadedTarget } from './lab.ts';
import { startMessage } from './start-message.ts';
import { type SubjectProcess, type SubjectRegistry, startSubject } from './subject-process.ts';
import type { TrialLease } from './trial-lease.ts';

export type Role = 'first' | 'recovery' | 'storm' | 'session' | 'observer';
type Observed = Extract<ObservedEvent, { type: 'observed' }>['outcome'];

export interface SubjectsOptions {
  readonly spec: TrialSpec;
  readonly lab: Lab;
  readonly target: LoadedTarget;
  readonly namespace: RailNamespace;
  readonly wire: Wire;
  readonly lease: TrialLease;
  readonly registry: SubjectRegistry;
  readonly signal: AbortSignal;
  /** The trial's own in the lab. */
  readonly number: number;
  /** What every incarnation finds in its environment besides what all processes do. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ledger, stdout and stderr stand below it. */
  readonly workspace: string;
  readonly observe: (event: ObservedEvent) => void;
}

export interface Asked {
  readonly request: JsonObject;
  readonly premises: readonly Premise[];
  /** Absent: a new one. */
  readonly requestId?: string;
  /** The harness's label; it goes into the history and never to the subject. Absent: the first. */
  readonly decision?: 'first' | 'second';
  /** Absent: as long as any answer is waited for. */
  readonly deadlineMs?: number;
}

export class Subjects {
  readonly ledgerFolder: string;
  /** Added to every later incarnation's clock. */
  clockOffsetMs = 0;
  private readonly options: SubjectsOptions;
  private readonly token: string;
  private readonly running = new Set<SubjectProcess>();
  private incarnations = 0;
  private messages = 0;
  private requests = 0;

  constructor(options: SubjectsOptions) {
    this.options = options;
    this.ledgerFolder = join(options.workspace, 'ledger');
    // Random, so that no subject can know another's; our pid first, so that ours can be told apart.
    this.token = `${process.pid}-${randomBytes(16).toString('hex')}`;
  }

  /** The request id the next submit will carry. */
  get nextRequestId(): string {
    return `request-${this.requests + 1}`;
  }

  async start(role: Role, armed: readonly ArmedPoint[]): Promise<SubjectProcess> {
    const { spec, lab, target, namespace, wire, registry, workspace, observe } = this.options;
    this.stopIfInterrupted();
    this.incarnations += 1;
    const incarnation = this.incarnations;
    const endpoint = await wire.listen(incarnation);
    // Nobody kills what is started after an interruption has killed everything.
    this.stopIfInterrupted();
    const subject = await startSubject({
      command: spec.gate.command,
      cwd: workspace,
      env: this.options.environment,
      token: this.token,
      incarnation,
      role,
      observe,
      stdoutPath: join(workspace, `stdout-${incarnation}.txt`),
      stderrPath: join(workspace, `stderr-${incarnation}.txt`),
      registry,
      readyMs: spec.bounds.readyMs,
      start: startMessage({
        target,
        authority: lab.authority,
        endpoint,
        credentials: namespace.credentials,
        ledger: this.ledgerFolder,
        clockOffsetMs: this.clockOffsetMs,
        armed,
      }),
    });
    this.running.add(subject);
    return subject;
  }

  /** All of them, or none: when one start fails, those that came up are stopped before it is thrown. */
  async startTogether(role: Role, count: number): Promise<readonly SubjectProcess[]> {
    const starts = await Promise.allSettled(
      Array.from({ length: count }, () => this.start(role, [])),
    );
    const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    const failed = starts.find((start) => start.status === 'rejected');
    if (failed === undefined) return started;
    // The start that failed is what is told, also when a stop fails after it.
    await Promise.allSettled([this.stop(started)]);
    throw failed.reason;
  }

  /** For a call whose process stands still meanwhile: what everybody else may take, and its own time. */
  get standingStillMs(): number {
    const { readyMs, answerMs, settleMs } = this.options.spec.bounds;
    return readyMs + settleMs + 4 * answerMs;
  }

  /** Null when the subject did not answer within the deadline. */
  async submit(subject: SubjectProcess, asked: Asked): Promise<OutcomeMessage | null> {
    const { request, premises, decision = 'first' } = asked;
    const { answerMs } = this.options.spec.bounds;
    const deadlineMs = asked.deadlineMs ?? answerMs;
    const requestId = asked.requestId ?? this.nextRequestId;
    if (asked.requestId === undefined) this.requests += 1;
    const id = this.nextMessage();
    const lease = this.options.lease.id;
    const message = { type: 'submit', id, requestId, request, lease, premises } as const;
    const answer = await subject.call(message, deadlineMs, decision);
    this.noteSilence(subject, answer.kind, deadlineMs);
    return answer.kind === 'outcome' ? answer.outcome : null;
  }

  /** A person's word on what waits for one; nothing where the subject takes none. */
  async resolve(
    subject: SubjectProcess,
    request: JsonObject,
    resolution: Resolution,
  ): Promise<void> {
    if (!subject.ready.capabilities.resolve) return;
    const message = { type: 'resolve', id: this.nextMessage(), request, resolution } as const;
    const { answerMs } = this.options.spec.bounds;
    const answer = await subject.call(message, answerMs);
    this.noteSilence(subject, answer.kind, answerMs);
  }

  async recover(
    subject: SubjectProcess,
    deadlineMs: number = this.options.spec.bounds.answerMs,
  ): Promise<void> {
    const message = { type: 'recover', id: this.nextMessage() } as const;
    const answer = await subject.call(message, deadlineMs);
    this.noteSilence(subject, answer.kind, deadlineMs);
  }

  /** Null when the subject did not answer within its bound. */
  async ask(subject: SubjectProcess, request: JsonObject): Promise<Observed> {
    const message = { type: 'ask', id: this.nextMessage(), request } as const;
    const { answerMs } = this.options.spec.bounds;
    const answer = await subject.call(message, answerMs);
    this.stopIfInterrupted();
    this.noteSilence(subject, answer.kind, answerMs);
    if (answer.kind !== 'outcome') return null;
    const { type: _type, re: _re, ...outcome } = answer.outcome;
    return outcome;
  }

  /** SIGKILL, and what was still under way of the dead sender drained, unless the service stands still over it. */
  async kill(subject: SubjectProcess): Promise<void> {
    const { wire, spec, observe } = this.options;
    await subject.kill();
    this.running.delete(subject);
    if (spec.cell.kill === 'during_call:running' && subject.incarnation === 1) return;
    const complete = await wire.whenSenderGone(subject.incarnation, spec.bounds.drainMs);
    observe({ type: 'drained', incarnation: subject.incarnation, complete });
  }

  async stop(subjects: readonly SubjectProcess[]): Promise<void> {
    const { drainMs } = this.options.spec.bounds;
    const stops = await Promise.allSettled(subjects.map((subject) => subject.stop(drainMs)));
    for (const subject of subjects) this.running.delete(subject);
    const failed = stops.find((stop) => stop.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async stopAll(): Promise<void> {
    await this.stop([...this.running]);
  }

  async close(): Promise<void> {
    try {
      await this.stopAll();
    } finally {
      this.options.lease.forget();
    }
  }

  stopIfInterrupted(): void {
    if (this.options.signal.aborted) {
      throw new HarnessError('interrupted', 'the run was interrupted');
    }
  }

  private nextMessage(): number {
    this.messages += 1;
    return this.messages;
  }

  private noteSilence(
    subject: SubjectProcess,
    kind: 'outcome' | 'done' | 'ended' | 'silent',
    deadlineMs: number,
  ): void {
    this.stopIfInterrupted();
    if (kind !== 'silent') return;
    const detail = `no answer within ${deadlineMs} ms`;
    const { incarnation } = subject;
    this.options.observe({ type: 'subject-misbehaved', incarnation, what: 'silent', detail });
  }
}
