/**
 * A gate running as a process under test: started without a shell in a process group of its own, spoken
 * to over two extra descriptors, ended by SIGKILL or by request. Whatever it does, hang, flood, speak
 * nonsense or die, is an event for the history and never an exception; only a subject that can't be
 * brought to "ready" is thrown, as a HarnessError, with everything of it cleaned up.
 */
import type { Readable } from 'node:stream';
import type { AtMessage, HarnessMessage, ReadyMessage, StartMessage } from '../../gate/protocol.ts';
import { type Exit, endSurvivors, killSubject } from '../kills/kill-subject.ts';
import { type Pause, pauseSubject } from '../kills/pause-subject.ts';
import {
  findDescendants,
  type KnownProcess,
  readProcess,
  requireProcessTable,
  type SubjectMarks,
} from '../kills/process-table.ts';
import { HarnessError } from '../model/errors.ts';
import { nonsenseQuotedMost, type ObservedEvent } from '../model/history.ts';
import { type Answer, type CallMessage, PendingCalls } from './subject-calls.ts';
import {
  excerpt,
  type HeardMessage,
  listenToSubject,
  secretsIn,
  sendMessage,
  withoutSecrets,
  withoutToken,
} from './subject-channel.ts';
import { keepOutput } from './subject-output.ts';
import type { SubjectRegistry } from './subject-registry.ts';
import { type SpawnedChild, spawnChild } from './subject-spawn.ts';
import { type Deferred, deferred, endOf, within } from './waits.ts';

export type { Answer, CallMessage } from './subject-calls.ts';
export { SubjectRegistry } from './subject-registry.ts';

export interface StartOptions {
  /** The program itself and its arguments: what is started must be what speaks. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** Added to PATH, HOME, TMPDIR and LANG; nothing else of the harness's environment is passed on. */
  readonly env: Readonly<Record<string, string>>;
  /** Random; with the incarnation it marks this process's descendants. */
  readonly token: string;
  readonly incarnation: number;
  readonly role: 'first' | 'recovery' | 'storm' | 'session' | 'observer';
  readonly observe: (event: ObservedEvent) => void;
  readonly registry: SubjectRegistry;
  /** Written once the subject prints something. */
  readonly stdoutPath: string;
  readonly stderrPath: string;
  readonly start: StartMessage;
  readonly readyMs: number;
}

export interface SubjectProcess {
  readonly incarnation: number;
  readonly pid: number;
  readonly ready: ReadyMessage;
  /** Never rejects for anything the subject did. */
  /** `decision`: the harness's own label of a submit, for the history alone. */
  call(message: CallMessage, deadlineMs: number, decision?: 'first' | 'second'): Promise<Answer>;
  /** A message without an answer. */
  send(message: HarnessMessage): void;
  /** The next announced point that nobody has taken yet; callers that wait at once get the same one. */
  nextAt(): Promise<AtMessage | 'ended'>;
  /** Resolves after the last of what it said has been heard. */
  readonly exited: Promise<Exit>;
  /** SIGKILL to the whole group, proven. */
  kill(): Promise<{ readonly provenSigkill: boolean; readonly survivors: readonly number[] }>;
  /** SIGSTOP to the whole group, seen to have taken effect. */
  pause(): Promise<void>;
  /** SIGCONT to the whole group. Throws when it was not stopped up to now. */
  resume(): void;
  /** Asks it to leave, and kills it when it does not within the deadline. */
  stop(deadlineMs: number): Promise<void>;
}

/** Resolves when the spawned process itself has said "ready"; starts nothing once the run was ended. */
export async function startSubject(options: StartOptions): Promise<SubjectProcess> {
  requireProcessTable(process.platform);
  if (options.registry.closed) {
    throw new HarnessError('interrupted', 'the run was ended before the subject was started');
  }
  const token = `${options.token}.${options.incarnation}`;
  const child = await spawnChild({ ...options, token });
  const subject = new Subject(child, token, options);
  try {
    subject.send(options.start);
    await subject.whenReady();
    return subject;
  } catch (error) {
    await subject.kill();
    throw error;
  }
}

/** How long output is waited for after the exit; only an escaped descendant that holds a pipe makes it wait. */
const drainMs = 200;

type Misbehaviour = Extract<ObservedEvent, { type: 'subject-misbehaved' }>['what'];

class Subject implements SubjectProcess {
  readonly incarnation: number;
  readonly pid: number;
  readonly exited: Promise<Exit>;
  readonly #options: StartOptions;
  readonly #child: SpawnedChild;
  readonly #marks: SubjectMarks;
  readonly #secrets: readonly string[];
  readonly #rawExit = deferred<Exit>();
  readonly #calls = new PendingCalls();
  readonly #readiness = deferred<ReadyMessage>();
  #ready: ReadyMessage | null = null;
  readonly #points: AtMessage[] = [];
  #awaitedPoint: Deferred<AtMessage | 'ended'> | null = null;
  #nonsense = 0;
  #hasExited = false;
  #gone = false;
  /** Whether its end was asked for. */
  #ending = false;
  /** Those it had when it was asked to leave. */
  #descendants: readonly KnownProcess[] = [];
  #pause: Pause | null = null;
  #killing: ReturnType<SubjectProcess['kill']> | null = null;

  constructor(child: SpawnedChild, token: string, options: StartOptions) {
    this.#options = options;
    this.#child = child;
    this.incarnation = options.incarnation;
    this.pid = child.pid;
    this.#secrets = [token, ...secretsIn(options.start.target.credentials)];
    const startedTicks = readProcess(child.pid)?.startedTicks ?? 0;
    this.#marks = { pid: child.pid, token, startedTicks };
    options.registry.add(this.#marks);
    options.observe({
      type: 'spawned',
      incarnation: this.incarnation,
      pid: this.pid,
      role: options.role,
    });
    // Whoever starts the subject awaits this; a death before that must not count as unhandled.
    this.#readiness.promise.catch(() => undefined);

    child.process.once('exit', (code, signal) => {
      this.#hasExited = true;
      this.#rawExit.resolve({ code, signal });
    });
    child.process.on('error', () => {
      // A signal that could not be sent; the exit that fails to come is what gets noticed.
    });
    child.toSubject.on('error', () => {
      // EPIPE: the subject is gone or has closed its end, and its exit says so.
    });
    listenToSubject(child.fromSubject, {
      message: (message) => this.#hear(message),
      nonsense: (line, why) => this.#noteNonsense(`${why}: ${excerpt(line, this.#secrets)}`),
      flood: (detail) => {
        this.#misbehaved('flood', `descriptor 4: ${detail}; nothing more of it is read`);
        this.#readiness.reject(this.#notReady('subject-flooded', `it wrote ${detail}`));
      },
    });
    this.exited = this.#follow();
  }

  get ready(): ReadyMessage {
    if (this.#ready === null) throw new Error('the subject is not ready yet');
    return this.#ready;
  }

  async whenReady(): Promise<void> {
    const { readyMs } = this.#options;
    const timer = setTimeout(() => {
      this.#misbehaved('not-ready', `not ready within ${readyMs} ms`);
      const code = this.#nonsense > 0 ? 'subject-spoke-nonsense' : 'subject-not-ready';
      this.#readiness.reject(this.#notReady(code, `nothing valid came within ${readyMs} ms`));
    }, readyMs);
    try {
      this.#ready = await this.#readiness.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  send(message: HarnessMessage): void {
    this.#send(message, 'first');
  }

  call(
    message: CallMessage,
    deadlineMs: number,
    decision: 'first' | 'second' = 'first',
  ): Promise<Answer> {
    if (this.#gone) return Promise.resolve({ kind: 'ended' });
    const answered = this.#calls.add(message, deadlineMs);
    this.#send(message, decision);
    return answered;
  }

  #send(message: HarnessMessage, decision: 'first' | 'second'): void {
    if (this.#hasExited) return;
    const { observe } = this.#options;
    const { incarnation } = this;
    const sent = withoutSecrets(message, this.#marks.token);
    observe({
      type: 'sent',
      incarnation,
      message: sent,
      ...(decision === 'second' && { decision }),
    });
    sendMessage(this.#child.toSubject, message);
  }

  nextAt(): Promise<AtMessage | 'ended'> {
    const reached = this.#points.shift();
    if (reached !== undefined) return Promise.resolve(reached);
    if (this.#gone) return Promise.resolve('ended');
    this.#awaitedPoint ??= deferred();
    return this.#awaitedPoint.promise;
  }

  kill(): ReturnType<SubjectProcess['kill']> {
    this.#killing ??= this.#kill();
    return this.#killing;
  }

  async pause(): Promise<void> {
    const { incarnation, pid } = this;
    this.#pause = await pauseSubject(this.#marks);
    this.#options.observe({ type: 'paused', incarnation, pid });
  }

  resume(): void {
    const pause = this.#pause;
    if (pause === null) throw new Error(`incarnation ${this.incarnation} is not paused`);
    this.#pause = null;
    const { incarnation, pid } = this;
    pause.resume();
    this.#options.observe({ type: 'resumed', incarnation, pid });
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#endPause();
    if (!this.#hasExited) {
      this.#ending = true;
      this.#descendants = findDescendants(this.#marks);
      this.send({ type: 'stop' });
      this.#child.toSubject.end();
      await within(deadlineMs, this.#rawExit.promise);
    }
    if (!this.#hasExited) {
      await this.kill();
      return;
    }
    const survivors = await endSurvivors(this.#marks, this.#descendants);
    await this.exited;
    if (survivors.length > 0) this.#observeSurvivors(survivors);
  }

  /** A stopped process can't leave. Only a trial that could not go on ends one. */
  #endPause(): void {
    this.#pause?.abandon();
    this.#pause = null;
  }

  async #kill(): ReturnType<SubjectProcess['kill']> {
    this.#endPause();
    const report = await killSubject({
      marks: this.#marks,
      remembered: this.#descendants,
      hasExited: () => this.#hasExited,
      exited: this.#rawExit.promise,
      onSent: () => {
        this.#ending = true;
        this.#observeKillSent();
      },
    });
    await this.exited;
    this.#observeSurvivors(report.survivors);
    return { provenSigkill: report.provenSigkill, survivors: report.survivors };
  }

  /** Follows the process to its end: the exit, then the last of its output, then the news of it. */
  async #follow(): Promise<Exit> {
    const { process: child, stdout, stderr, toSubject, fromSubject } = this.#child;
    const { incarnation, pid } = this;
    const { observe, registry, stdoutPath, stderrPath } = this.#options;
    const kept = [
      this.#keep('stdout', stdout, stdoutPath),
      this.#keep('stderr', stderr, stderrPath),
    ];
    const read = Promise.all([endOf(stdout), endOf(stderr), endOf(fromSubject)]);
    const exit = await this.#rawExit.promise;
    registry.remove(pid);
    toSubject.destroy();
    // A channel that is no longer read would never end.
    if (fromSubject.isPaused()) fromSubject.destroy();
    await within(drainMs, read);
    for (const stream of [stdout, stderr, fromSubject]) stream.destroy();
    for (const output of kept) output.close();
    child.unref();

    this.#gone = true;
    observe({ type: 'exited', incarnation, pid, ...exit });
    const how = exit.signal ?? `exit code ${exit.code}`;
    if (!this.#ending) this.#misbehaved('died', `ended by itself: ${how}`);
    if (this.#ready === null)
      this.#readiness.reject(this.#notReady('subject-died', `it ended first: ${how}`));
    this.#calls.endAll();
    this.#awaitedPoint?.resolve('ended');
    return exit;
  }

  #keep(name: string, stream: Readable, path: string): { close(): void } {
    return keepOutput(stream, {
      path,
      onFlood: () => this.#misbehaved('flood', `${name}: more than 1 MiB; the rest is thrown away`),
      onLost: (error) =>
        this.#options.observe({
          type: 'harness-error',
          code: 'workspace',
          message: `expected to keep ${name} in ${path}, got: ${String(error)}`,
        }),
    });
  }

  #hear(heard: HeardMessage): void {
    const message = withoutToken(heard, this.#marks.token);
    this.#options.observe({ type: 'said', incarnation: this.incarnation, message });
    switch (message.type) {
      case 'ready':
        this.#hearReady(message);
        break;
      case 'at':
        if (this.#awaitedPoint === null) this.#points.push(message);
        else this.#awaitedPoint.resolve(message);
        this.#awaitedPoint = null;
        break;
      case 'done':
      case 'outcome':
        this.#hearAnswer(message);
        break;
      default:
        message satisfies never;
    }
  }

  #hearReady(message: ReadyMessage): void {
    if (message.pid === this.pid) {
      this.#readiness.resolve(message);
      return;
    }
    const detail = `process ${this.pid} was started and process ${message.pid} says ready`;
    this.#misbehaved('wrong-pid', detail);
    this.#readiness.reject(
      this.#notReady('subject-not-ready', `${detail}; a shell, npx or tsx in between must go`),
    );
  }

  #hearAnswer(message: Extract<HeardMessage, { type: 'done' | 'outcome' }>): void {
    const wrong = this.#calls.hear(message);
    if (wrong !== null) this.#noteNonsense(wrong);
  }

  #noteNonsense(detail: string): void {
    this.#nonsense += 1;
    if (this.#nonsense <= nonsenseQuotedMost) this.#misbehaved('nonsense', detail);
    if (this.#nonsense === nonsenseQuotedMost) {
      this.#readiness.reject(this.#notReady('subject-spoke-nonsense', detail));
    }
  }

  #notReady(
    code: 'subject-not-ready' | 'subject-spoke-nonsense' | 'subject-flooded' | 'subject-died',
    what: string,
  ): HarnessError {
    return new HarnessError(
      code,
      `expected ${this.#options.command.join(' ')} to say ready on descriptor 4; ${what}; what it printed is in ${this.#options.stderrPath}`,
    );
  }

  #misbehaved(what: Misbehaviour, detail: string): void {
    this.#options.observe({
      type: 'subject-misbehaved',
      incarnation: this.incarnation,
      what,
      detail,
    });
  }

  #observeKillSent(): void {
    const { incarnation, pid } = this;
    this.#options.observe({ type: 'kill-sent', incarnation, pid, signal: 'SIGKILL' });
  }

  #observeSurvivors(pids: readonly number[]): void {
    const { incarnation } = this;
    this.#options.observe({ type: 'survivors', incarnation, pids: [...pids] });
  }
}
