/**
 * Finds the requests in what a Postgres client sends. A request is one cycle of messages that the
 * server answers with one ReadyForQuery: a simple query, a function call, or extended-protocol
 * messages up to Sync. The start-up phase, authentication, Terminate and the rows of a COPY are none.
 *
 * Messages before a Flush are needed by the server before the rest of their cycle comes, so they go on
 * ahead of it: without Sync nothing they did can last. Only a COMMIT would, so behind one a Flush waits.
 */
import { createHash } from 'node:crypto';
import type { FramedRequest, RequestFraming, RequestStep } from './conversation.ts';
import { MessageCutter, MessageStrings, maxRequestBytes } from './postgres-messages.ts';
import type { TransactionBlock } from './postgres-transaction.ts';
import { type Statement, statementsOf } from './sql-text.ts';

/** How many prepared statements, and how many portals, are remembered of a session. */
export const maxNames = 1000;

/** What a message without a type asks for, in place of a protocol version. */
const sslRequest = 80_877_103;
const gssEncRequest = 80_877_104;

export class PostgresRequests implements RequestFraming {
  readonly #block: TransactionBlock;
  readonly #negotiates: () => void;
  readonly #cutter = new MessageCutter();
  readonly #prepared = new Map<string, readonly Statement[]>();
  readonly #portals = new Map<string, readonly Statement[]>();
  #open: Cycle | null = null;
  #lastWasExtended = false;
  /** The rows of a COPY have ended, by a message of the client's. */
  #copied = false;

  /** `negotiates`: the server is asked for encryption, which it answers with a single byte. */
  constructor(block: TransactionBlock, negotiates: () => void) {
    this.#block = block;
    this.#negotiates = negotiates;
  }

  get midway(): boolean {
    return this.#open !== null;
  }

  push(chunk: Buffer): readonly RequestStep[] {
    this.#cutter.push(chunk);
    const steps: RequestStep[] = [];
    for (let type = this.#cutter.nextType(); type !== undefined; type = this.#cutter.nextType()) {
      if (this.#opensCycle(type)) {
        this.#open = new Cycle();
        steps.push({ kind: 'began' });
      }
      const cut = this.#cutter.next();
      if (cut.kind === 'partial') break;
      if (cut.kind === 'malformed') return [...steps, this.#opaque([])];
      if (cut.kind === 'over-limit') return [...steps, overLimit];
      const step = this.#cutter.typed ? this.#take(type, cut.bytes) : this.#startUp(cut.bytes);
      if (step === null) continue;
      steps.push(step);
      if (step.kind === 'opaque' || step.kind === 'over-limit') break;
    }
    return steps;
  }

  #opensCycle(type: string): boolean {
    if (!this.#cutter.typed || this.#open !== null) return false;
    return 'QFPBDEC'.includes(type) || (type === 'S' && !this.#endsCopy(type));
  }

  /** The Sync after a COPY of the extended protocol: the server has read over the one before the rows. */
  #endsCopy(type: string): boolean {
    return type === 'S' && this.#copied && this.#lastWasExtended;
  }

  #startUp(message: Buffer): RequestStep {
    const code = message.readUInt32BE(4);
    if (code === sslRequest || code === gssEncRequest) {
      this.#negotiates();
    } else if (code >>> 16 === 3) {
      this.#cutter.typed = true;
    } else {
      // A CancelRequest, or another protocol altogether.
      return this.#opaque([message]);
    }
    return { kind: 'pass', bytes: message, when: 'in-turn' };
  }

  #take(type: string, message: Buffer): RequestStep | null {
    if (this.#endsCopy(type)) {
      this.#copied = false;
      return { kind: 'pass', bytes: message, when: 'now' };
    }
    this.#copied = type === 'c' || type === 'f';
    const cycle = this.#open;
    switch (type) {
      case 'X':
      case 'p':
        return { kind: 'pass', bytes: message, when: 'in-turn' };
      case 'd':
      case 'c':
      case 'f':
        return { kind: 'pass', bytes: message, when: 'now' };
      case 'H':
        if (cycle === null) return { kind: 'pass', bytes: message, when: 'in-turn' };
        cycle.add(message);
        return cycle.flush();
      default:
        if (cycle === null || !'QFPBDECS'.includes(type)) return this.#opaque([message]);
        this.#follow(type, message, cycle);
        cycle.add(message);
        if (cycle.rawBytes > maxRequestBytes) return overLimit;
        return 'QFS'.includes(type) ? this.#close(cycle, type) : null;
    }
  }

  #close(cycle: Cycle, lastType: string): RequestStep {
    this.#open = null;
    this.#lastWasExtended = lastType === 'S';
    return { kind: 'whole', request: cycle.close(this.#block) };
  }

  /** Which statements are prepared, bound and executed. */
  #follow(type: string, message: Buffer, cycle: Cycle): void {
    const fields = new MessageStrings(message);
    switch (type) {
      case 'Q':
        cycle.executed.push(...statementsOf(fields.next()));
        break;
      case 'F':
        cycle.executed.push({ keyword: 'CALL', text: 'CALL', kind: 'changes' });
        break;
      case 'P':
        remember(this.#prepared, fields.next(), statementsOf(fields.next()));
        break;
      case 'B': {
        const portal = fields.next();
        const name = fields.next();
        remember(this.#portals, portal, this.#prepared.get(name) ?? [unknownStatement(name)]);
        break;
      }
      case 'E': {
        const portal = fields.next();
        cycle.executed.push(...(this.#portals.get(portal) ?? [unknownStatement(portal)]));
        break;
      }
      case 'C': {
        const names = message[5] === 0x53 ? this.#prepared : this.#portals;
        fields.skipByte();
        names.delete(fields.next());
        break;
      }
    }
  }

  #opaque(message: readonly Buffer[]): RequestStep {
    const begun = this.#open?.raw ?? [];
    return { kind: 'opaque', bytes: [...begun, ...message, ...this.#cutter.rest()] };
  }
}

/** Prepared or declared in SQL, or forgotten: it may change anything. */
function unknownStatement(name: string): Statement {
  return { keyword: 'EXECUTE', text: `EXECUTE ${name}`, kind: 'changes' };
}

/** The longest known goes first where there are too many. */
function remember<V>(names: Map<string, V>, name: string, value: V): void {
  names.delete(name);
  names.set(name, value);
  const [oldest] = names.keys();
  if (names.size > maxNames && oldest !== undefined) names.delete(oldest);
}

const overLimit: RequestStep = {
  kind: 'over-limit',
  detail: `expected a request of at most ${maxRequestBytes} bytes, got more`,
};

/** One request whose messages are under way. */
class Cycle {
  /** What the service has not been given yet. */
  raw: Buffer[] = [];
  rawBytes = 0;
  readonly executed: Statement[] = [];
  readonly #hash = createHash('sha256');

  add(message: Buffer): void {
    this.raw.push(message);
    this.rawBytes += message.length;
    this.#hash.update(message);
  }

  flush(): RequestStep | null {
    if (this.executed.some(({ kind }) => kind === 'commits')) return null;
    const bytes = Buffer.concat(this.raw);
    this.raw = [];
    this.rawBytes = 0;
    return { kind: 'pass', bytes, when: 'in-turn' };
  }

  close(block: TransactionBlock): FramedRequest {
    const facts = block.take(this.executed);
    return { ...facts, key: null, bodySha256: this.#hash.digest('hex'), raw: this.raw };
  }
}
