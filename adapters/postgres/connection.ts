/**
 * The one connection of a target. In: work that talks to the server, and how long it may take. Out:
 * its result, or a NoAnswerError. Work is done one piece after the other; a piece that fails to get an
 * answer takes the connection with it, and the next opens another. Nothing is ever sent again, and no
 * failure of a connection reaches the process.
 */
import { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { Client, type ClientConfig, DatabaseError, type QueryResult } from 'pg';
import type { Endpoint } from '../target.ts';
import type { Credentials } from './configuration.ts';

/** No whole answer came, and nothing says how far the server got. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly kind: 'connection' | 'timeout';

  constructor(kind: NoAnswerError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The server let nobody in: nothing but names and the password were sent. */
export class NotAdmittedError extends Error {
  override readonly name = 'NotAdmittedError';
  /** The SQLSTATE. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export type Row = Readonly<Record<string, string | null>>;

export interface Answer {
  /** The command tag of the last statement, e.g. COMMIT. */
  readonly command: string;
  /** All rows of all statements, every value as the server wrote it. */
  readonly rows: readonly Row[];
  /** Warnings that came with it; notices are none. */
  readonly warnings: readonly string[];
}

export interface Session {
  /**
   * One cycle of the protocol. Rejects with NoAnswerError, or with pg's DatabaseError where the server
   * answered with an error.
   */
  send(text: string, values?: readonly (string | null)[]): Promise<Answer>;
  /** What is left of the time of this piece of work. */
  leftMs(): number;
  /** Ends the connection when this piece of work is done: nobody knows what state it is in. */
  discard(): void;
}

export interface Connection {
  run<T>(work: (session: Session) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  readonly endpoint: Endpoint;
  readonly credentials: Credentials;
  readonly tls: boolean;
  /** Counts from `run` to the end of its work, opening the connection included. */
  readonly clientTimeoutMs: number;
}

/** An open connection, or one that is being opened. */
interface Link {
  readonly client: Client;
  readonly socket: Socket;
  readonly warnings: string[];
  isBroken: boolean;
}

export function createConnection(options: ConnectionOptions): Connection {
  let link: Link | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const drop = (broken: Link): void => {
    broken.isBroken = true;
    broken.socket.destroy();
    if (link === broken) link = null;
  };
  const open = async (late: () => boolean): Promise<Link> => {
    if (isClosed) throw new NoAnswerError('connection', 'the target is closed');
    if (link !== null && !link.isBroken) return link;
    const opened = createLink(options);
    link = opened;
    try {
      await opened.client.connect();
    } catch (error) {
      drop(opened);
      if (error instanceof DatabaseError) {
        throw new NotAdmittedError(error.code ?? '', error.message);
      }
      throw explain(error, late(), options.clientTimeoutMs);
    }
    return opened;
  };
  const doWork = async <T>(
    work: (session: Session) => Promise<T>,
    deadline: Deadline,
  ): Promise<T> => {
    const late = () => deadline.isOver();
    if (late()) throw explain(null, true, options.clientTimeoutMs);
    deadline.onOver(() => {
      if (link !== null) drop(link);
    });
    const used = await open(late);
    const session: Session = {
      leftMs: () => deadline.leftMs(),
      discard: () => {
        used.isBroken = true;
      },
      send: async (text, values) => {
        used.warnings.length = 0;
        try {
          const result = await used.client.query<Row>({
            text,
            ...(values !== undefined && { values: [...values] }),
            types: asWritten,
          });
          return summarize(result, used.warnings);
        } catch (error) {
          if (error instanceof DatabaseError) throw error;
          drop(used);
          throw explain(error, late(), options.clientTimeoutMs);
        }
      },
    };
    try {
      return await work(session);
    } finally {
      if (used.isBroken) drop(used);
    }
  };
  return {
    run: (work) => {
      const deadline = startDeadline(options.clientTimeoutMs);
      const done = last.then(() => doWork(work, deadline)).finally(() => deadline.cancel());
      last = done.catch(ignoreTold);
      return done;
    },
    close: async () => {
      isClosed = true;
      await last;
      const closing = link;
      link = null;
      if (closing !== null) await endPolitely(closing);
    },
  };
}

function createLink({ endpoint, credentials, tls }: ConnectionOptions): Link {
  const socket = new Socket();
  const { host, port, caPem } = endpoint;
  const config: ClientConfig = {
    ...credentials,
    host,
    port,
    stream: () => socket,
    // What is written out here is not taken from the environment.
    ssl: caPem === undefined ? tls : { ca: caPem },
    sslnegotiation: 'postgres',
    keepAlive: true,
    application_name: 'effect-target',
  };
  const link: Link = { client: new Client(config), socket, warnings: [], isBroken: false };
  // Without a listener an idle connection that breaks ends the process.
  link.client.on('error', () => {
    link.isBroken = true;
  });
  link.client.on('end', () => {
    link.isBroken = true;
  });
  link.client.on('notice', ({ code, message }) => {
    // The severity is in the server's language, the code is not.
    if (code !== successfulCompletion) link.warnings.push(`${code ?? ''} ${message ?? ''}`);
  });
  return link;
}

const successfulCompletion = '00000';

/** Amounts have 64 bits, and a number of JavaScript has not. */
const asWritten = { getTypeParser: () => (value: string) => value } as NonNullable<
  ClientConfig['types']
>;

/** pg gives a list of results for a text of several statements. */
function summarize(
  result: QueryResult<Row> | readonly QueryResult<Row>[],
  warnings: readonly string[],
): Answer {
  const results = Array.isArray(result) ? result : [result];
  return {
    command: results.at(-1)?.command ?? '',
    rows: results.flatMap(({ rows }) => rows),
    warnings: [...warnings],
  };
}

function explain(error: unknown, isLate: boolean, clientTimeoutMs: number): NoAnswerError {
  if (isLate) return new NoAnswerError('timeout', `no whole answer within ${clientTimeoutMs} ms`);
  return new NoAnswerError('connection', error instanceof Error ? error.message : String(error));
}

/** Whoever asked for the work is told; this only keeps the order. */
function ignoreTold(): void {
  return;
}

const goodbyeMs = 500;

async function endPolitely({ client, socket }: Link): Promise<void> {
  const hangUp = setTimeout(() => socket.destroy(), goodbyeMs);
  try {
    await client.end();
  } finally {
    clearTimeout(hangUp);
    socket.destroy();
  }
}

interface Deadline {
  isOver(): boolean;
  leftMs(): number;
  onOver(act: () => void): void;
  cancel(): void;
}

/** Turns of the event loop in which an answer that is already here is read to its end. */
const readingTurns = 4;

/**
 * When the process itself was held up, the timer is due before the answer in the socket's buffer has
 * been looked at, and giving up then would be an unknown for nothing: so what has come is read first.
 */
function startDeadline(durationMs: number): Deadline {
  const endsAtMs = performance.now() + durationMs;
  let state: 'running' | 'over' | 'cancelled' = 'running';
  let act: () => void = ignoreTold;
  const turn = (left: number): void => {
    if (state === 'cancelled') return;
    if (left > 0) {
      setImmediate(() => turn(left - 1));
      return;
    }
    state = 'over';
    act();
  };
  const timer = setTimeout(() => turn(readingTurns), durationMs);
  return {
    isOver: () => state === 'over',
    leftMs: () => Math.max(0, endsAtMs - performance.now()),
    onOver: (wanted) => {
      act = wanted;
    },
    cancel: () => {
      state = 'cancelled';
      clearTimeout(timer);
    },
  };
}
