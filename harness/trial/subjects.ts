/**
 * The processes of one trial and what is said to them: starts incarnations, numbers messages, notes
 * silence, stops what still runs. It decides nothing about the trial's course.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { RailNamespace } from '../../adapters/rail.ts';
import type { JsonObject } from '../../adapters/target.ts';
import type { ArmedPoint } from '../../gate/protocol.ts';
import { HarnessError } from '../model/errors.ts';
import type { ObservedEvent } from '../model/history.ts';
import type { TrialSpec } from '../model/trial.ts';
import type { Wire } from '../wire/wire.ts';
import type { Lab, LoadedTarget } from './lab.ts';
import { type SubjectProcess, type SubjectRegistry, startSubject } from './subject-process.ts';

export type Role = 'first' | 'recovery' | 'storm' | 'observer';
type Observed = Extract<ObservedEvent, { type: 'observed' }>['outcome'];

export interface SubjectsOptions {
  readonly spec: TrialSpec;
  readonly lab: Lab;
  readonly target: LoadedTarget;
  readonly namespace: RailNamespace;
  readonly wire: Wire;
  readonly registry: SubjectRegistry;
  readonly signal: AbortSignal;
  /** The trial's own in the lab. */
  readonly number: number;
  /** Ledger, stdout and stderr stand below it. */
  readonly workspace: string;
  readonly observe: (event: ObservedEvent) => void;
}

export class Subjects {
  readonly ledgerFolder: string;
  /** Added to every later incarnation's clock. */
  clockOffsetMs = 0;
  private readonly options: SubjectsOptions;
  private readonly lease: string;
  private readonly token: string;
  private readonly running = new Set<SubjectProcess>();
  private incarnations = 0;
  private messages = 0;
  private requests = 0;

  constructor(options: SubjectsOptions) {
    this.options = options;
    this.ledgerFolder = join(options.workspace, 'ledger');
    this.lease = `lease-${options.number}-${options.spec.trial}`;
    // Random, so that no subject can know another's; our pid first, so that ours can be told apart.
    this.token = `${process.pid}-${randomBytes(16).toString('hex')}`;
    const state = { kind: 'live', expiresAtMs: null, coversReasons: [] } as const;
    options.lab.authority.grant(this.lease, state);
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
      env: {},
      token: this.token,
      incarnation,
      role,
      observe,
      stdoutPath: join(workspace, `stdout-${incarnation}.txt`),
      stderrPath: join(workspace, `stderr-${incarnation}.txt`),
      registry,
      readyMs: spec.bounds.readyMs,
      start: {
        type: 'start',
        protocol: 1,
        ledger: this.ledgerFolder,
        target: {
          module: target.modulePath,
          export: target.declared.target.export,
          endpoint,
          credentials: namespace.credentials,
          options: spec.target.options,
        },
        authority: { url: lab.authority.url },
        declaration: spec.declaration,
        clockOffsetMs: this.clockOffsetMs,
        armed: [...armed],
      },
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

  async submit(
    subject: SubjectProcess,
    request: JsonObject,
    deadlineMs: number = this.options.spec.bounds.answerMs,
  ): Promise<void> {
    const requestId = this.nextRequestId;
    this.requests += 1;
    const id = this.nextMessage();
    const message = {
      type: 'submit',
      id,
      requestId,
      request,
      lease: this.lease,
      premises: [],
    } as const;
    const answer = await subject.call(message, deadlineMs);
    this.noteSilence(subject, answer.kind, deadlineMs);
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

  /** SIGKILL, and what was still under way of the dead sender drained. */
  async kill(subject: SubjectProcess): Promise<void> {
    const { wire, spec, observe } = this.options;
    await subject.kill();
    this.running.delete(subject);
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
      this.options.lab.authority.forget(this.lease);
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
