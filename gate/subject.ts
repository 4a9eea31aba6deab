/**
 * Speaks the subject protocol around any gate: messages in on descriptor 3, out on descriptor 4.
 * Knows nothing of kills beyond saying where the gate is and standing still there until told to go.
 */
import { readSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { pathToFileURL } from 'node:url';
import type { CreateTarget, EffectTarget } from '../adapters/target.ts';
import type { AnnouncedPoint, AtPoint, Authority, Gate, Outcome } from './gate.ts';
import { httpAuthority } from './http-authority.ts';
import type {
  ClockMessage,
  GoMessage,
  HarnessMessage,
  StartMessage,
  SubjectMessage,
} from './protocol.ts';

export interface SubjectContext {
  readonly start: StartMessage;
  readonly target: EffectTarget;
  readonly authority: Authority;
  /** Epoch milliseconds, with the trial's clock offset. */
  readonly now: () => number;
  readonly at: AtPoint;
}

export interface SubjectDefinition {
  readonly name: string;
  readonly version: string;
  /** The points this gate announces. */
  readonly points: readonly AnnouncedPoint[];
  /** Whether the gate takes a person's decisions. */
  readonly resolves: boolean;
  /** How often it asks a service about one intent, over all lifetimes, before a person; absent: not said. */
  readonly looks?: number;
  /** False where nobody can ask it what became of a decision; absent: it answers. */
  readonly asks?: false;
  openGate(context: SubjectContext): Gate | Promise<Gate>;
}

const fromHarness = 3;
const toHarness = 4;

/** Runs until the harness says stop or goes away; either ends the process. */
export function runSubject(definition: SubjectDefinition): void {
  new SubjectLoop(definition).run();
}

class SubjectLoop {
  private readonly definition: SubjectDefinition;
  private readonly inbox = new Inbox();
  private readonly reached = new Map<AnnouncedPoint, number>();
  private clockOffsetMs = 0;
  private armed: StartMessage['armed'] = [];
  private gate: Gate | undefined;

  constructor(definition: SubjectDefinition) {
    this.definition = definition;
  }

  run(): void {
    // A Socket, not a file stream: a stream's read would sit in a pool thread and steal the `go`
    // that `standStill` reads synchronously.
    const socket = new Socket({ fd: fromHarness, readable: true, writable: false });
    socket.on('data', (chunk: Buffer) => {
      this.inbox.push(chunk);
      this.takeMessages();
    });
    // Whoever started us is gone: nothing may outlive a killed harness.
    socket.on('end', () => process.exit(0));
    socket.on('error', () => process.exit(0));
  }

  private takeMessages(): void {
    for (let next = this.inbox.shift(); next !== undefined; next = this.inbox.shift()) {
      this.take(next).catch((error: unknown) => {
        // A gate that throws has crashed; the process ends as any service would.
        setImmediate(() => {
          throw error;
        });
      });
    }
  }

  private async take(message: HarnessMessage): Promise<void> {
    switch (message.type) {
      case 'start':
        return this.start(message);
      case 'submit':
        return this.answer(message.id, (gate) => gate.submit(message));
      case 'ask':
        return this.answer(message.id, (gate) => gate.ask(message.request));
      case 'resolve':
        return this.answer(message.id, (gate) => gate.resolve(message.request, message.resolution));
      case 'recover':
        await this.openedGate().recover();
        say({ type: 'done', re: message.id });
        return;
      case 'clock':
        this.clockOffsetMs = message.offsetMs;
        return;
      case 'stop':
        await this.gate?.close();
        process.exit(0);
        return;
      case 'go':
        return;
      default:
        message satisfies never;
    }
  }

  private async start(message: StartMessage): Promise<void> {
    this.clockOffsetMs = message.clockOffsetMs;
    this.armed = message.armed;
    const now = () => Date.now() + this.clockOffsetMs;
    const createTarget = await loadTargetFactory(message.target.module, message.target.export);
    const { endpoint, credentials, options } = message.target;
    this.gate = await this.definition.openGate({
      start: message,
      target: createTarget({ endpoint, credentials, options, now }),
      authority: httpAuthority(message.authority.url),
      now,
      at: (reached) => this.announce(reached),
    });
    say({
      type: 'ready',
      pid: process.pid,
      name: this.definition.name,
      version: this.definition.version,
      capabilities: {
        points: this.definition.points,
        resolve: this.definition.resolves,
        ...(this.definition.looks !== undefined && { looks: this.definition.looks }),
        ...(this.definition.asks === false && { ask: false }),
      },
    });
  }

  private async answer(id: number, act: (gate: Gate) => Promise<Outcome>): Promise<void> {
    try {
      say({ type: 'outcome', re: id, ...(await act(this.openedGate())) });
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'InvalidRequestError') throw error;
      say({ type: 'outcome', re: id, ...neverRecorded(error.message) });
    }
  }

  private announce(reached: Parameters<AtPoint>[0]): void {
    const occurrence = (this.reached.get(reached.point) ?? 0) + 1;
    this.reached.set(reached.point, occurrence);
    const isArmed = this.armed.some(
      (armed) => armed.point === reached.point && armed.occurrence === occurrence,
    );
    if (!isArmed) return;
    say({ type: 'at', ...reached, occurrence });
    this.standStill();
  }

  /**
   * Blocks the whole process until `go`. A clock that is moved meanwhile has moved before the code
   * behind the point goes on; other messages keep their order.
   */
  private standStill(): void {
    const chunk = Buffer.alloc(65_536);
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (;;) {
      if (this.heardGo()) return;
      try {
        const length = readSync(fromHarness, chunk);
        if (length === 0) process.exit(0);
        this.inbox.push(chunk.subarray(0, length));
      } catch (error) {
        // The descriptor does not block once a Socket reads it.
        if (!isTryAgain(error)) process.exit(0);
        Atomics.wait(pause, 0, 0, 1);
      }
    }
  }

  /** Takes what is meant for a process that stands still, up to `go`. */
  private heardGo(): boolean {
    for (;;) {
      const message = this.inbox.takeFirst(isForStandstill);
      if (message === undefined) return false;
      if (message.type === 'go') return true;
      this.clockOffsetMs = message.offsetMs;
    }
  }

  private openedGate(): Gate {
    if (this.gate === undefined) throw new Error('expected `start` before anything else');
    return this.gate;
  }
}

/** Splits what arrives into messages without breaking characters in two. */
class Inbox {
  private readonly decoder = new StringDecoder('utf8');
  private readonly messages: HarnessMessage[] = [];
  private rest = '';

  push(chunk: Buffer): void {
    const parts = (this.rest + this.decoder.write(chunk)).split('\n');
    this.rest = parts.pop() ?? '';
    for (const line of parts) {
      if (line !== '') this.messages.push(JSON.parse(line) as HarnessMessage);
    }
  }

  shift(): HarnessMessage | undefined {
    return this.messages.shift();
  }

  /** Takes the first message that fits out of the row; the others keep their order. */
  takeFirst<Wanted extends HarnessMessage>(
    fits: (message: HarnessMessage) => message is Wanted,
  ): Wanted | undefined {
    const found = this.messages.find(fits);
    if (found !== undefined) this.messages.splice(this.messages.indexOf(found), 1);
    return found;
  }
}

function isForStandstill(message: HarnessMessage): message is ClockMessage | GoMessage {
  return message.type === 'clock' || message.type === 'go';
}

function say(message: SubjectMessage): void {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let sent = 0; sent < bytes.length; ) {
    try {
      sent += writeSync(toHarness, bytes, sent);
    } catch (error) {
      if (!isTryAgain(error)) process.exit(0);
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

async function loadTargetFactory(module: string, exportName: string): Promise<CreateTarget> {
  const loaded = (
    module.endsWith('.cjs')
      ? createRequire(module)(module)
      : await import(pathToFileURL(module).href)
  ) as Record<string, unknown>;
  const factory = loaded[exportName];
  if (typeof factory !== 'function') {
    throw new Error(
      `expected ${module} to export a function "${exportName}", it exports: ${Object.keys(loaded).join(', ')}`,
    );
  }
  return factory as CreateTarget;
}

function neverRecorded(evidence: string): Outcome {
  return {
    outcome: 'refused',
    disposition: 'settled',
    final: true,
    state: null,
    entityId: null,
    attempts: 0,
    evidence,
    receipt: null,
  };
}

function isTryAgain(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}
