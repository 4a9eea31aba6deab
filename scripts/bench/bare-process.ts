/**
 * A process started with nothing around it: no events, no process table, no history. What it costs to
 * start and end one is the floor under every trial, so this does no more than a start needs.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { HarnessMessage, StartMessage, SubjectMessage } from '../../gate/protocol.ts';

/** Longer than any start or answer on a busy machine; passing it ends the measurement. */
const patienceMs = 20_000;

/** Resolves when it has said its first line; `start` is sent at once where there is one. */
export async function startBare(
  command: readonly string[],
  start: StartMessage | null,
  environment: Readonly<Record<string, string>> = {},
): Promise<BareProcess> {
  const beganMs = performance.now();
  const bare = new BareProcess(command, environment);
  if (start !== null) bare.send(start);
  await bare.nextLine();
  bare.startMs = performance.now() - beganMs;
  return bare;
}

export class BareProcess {
  /** From before the spawn to the first whole line on descriptor 4. */
  startMs = 0;
  readonly #child: ChildProcess;
  readonly #toChild: Socket;
  readonly #lines: string[] = [];
  readonly #exited: Promise<void>;
  /** All it has said is in `#lines`; that may be after its exit is known. */
  readonly #heardOut: Promise<void>;
  #onLine: (() => void) | null = null;

  constructor(
    [program = '', ...args]: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ) {
    const { PATH = '', TMPDIR = '/tmp' } = process.env;
    // As a trial starts it, except that what it complains of is shown.
    this.#child = spawn(program, args, {
      env: { PATH, TMPDIR, ...environment },
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit', 'pipe', 'pipe'],
    });
    this.#exited = new Promise((resolve, reject) => {
      this.#child.once('exit', () => resolve());
      this.#child.once('error', reject);
    });
    const [, , , toChild, fromChild] = this.#child.stdio;
    if (!(toChild instanceof Socket && fromChild instanceof Socket)) {
      throw new Error(`expected ${program} to start with descriptors 3 and 4, it did not`);
    }
    this.#toChild = toChild;
    toChild.on('error', () => {
      // EPIPE: it has ended, and its exit is what is waited for.
    });
    this.#child.stdout?.resume();
    const reader = createInterface({ input: fromChild });
    reader.on('line', (line) => {
      this.#lines.push(line);
      this.#onLine?.();
    });
    this.#heardOut = new Promise((resolve) => reader.once('close', resolve));
  }

  send(message: HarnessMessage): void {
    this.#toChild.write(`${JSON.stringify(message)}\n`);
  }

  async nextLine(): Promise<string> {
    const came = new Promise<void>((resolve) => {
      this.#onLine = resolve;
      if (this.#lines.length > 0) resolve();
    });
    const diedFirst = Promise.all([this.#exited, this.#heardOut]).then(() => {
      if (this.#lines.length === 0) throw new Error('the process ended before it said anything');
    });
    await withPatience('say a line', Promise.race([came, diedFirst]));
    return this.#lines.shift() ?? '';
  }

  /** The next thing it says, which must be of the kind that is due. */
  async expect(type: SubjectMessage['type']): Promise<SubjectMessage> {
    const line = await this.nextLine();
    const message = JSON.parse(line) as SubjectMessage;
    if (message.type === type) return message;
    throw new Error(`expected the subject to say ${type}, it said ${line}`);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended();
  }

  /** Asks it to leave. */
  async stop(): Promise<void> {
    this.#toChild.end(`${JSON.stringify({ type: 'stop' })}\n`);
    await this.#ended();
  }

  async #ended(): Promise<void> {
    await withPatience('end', this.#exited);
    for (const stream of this.#child.stdio) stream?.destroy();
  }
}

async function withPatience<T>(due: string, awaited: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`expected the process to ${due} within ${patienceMs} ms`)),
      patienceMs,
    );
  });
  try {
    return await Promise.race([awaited, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
