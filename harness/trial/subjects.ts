/**
 * The processes of one trial and what is said to them: starts incarnations, numbers messages, notes
 * silence, stops what still runs. It decides nothing about the trial's course.
 */
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
  private readonly running = new Set<SubjectProcess>();
  private incarnations = 0;
  private messages = 0;
  private requests = 0;

  constructor(options: SubjectsOptions) {
    this.options = options;
    this.ledgerFolder = join(options.workspace, 'ledger');
    this.lease = `lease-${options.spec.seed}-${options.spec.trial}`;
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
    const subject = await startSubject({
      command: spec.gate.command,
      cwd: workspace,
      env: {},
      token: `${process.pid}-${spec.seed}-${spec.id}`,
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
    await Promise.all(subjects.map((subject) => subject.stop(drainMs)));
    for (const subject of subjects) this.running.delete(subject);
  }

  async stopAll(): Promise<void> {
    await this.stop([...this.running]);
  }

  async close(): Promise<void> {
    await this.stopAll();
    this.options.lab.authority.forget(this.lease);
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
