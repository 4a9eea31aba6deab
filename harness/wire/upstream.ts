/**
 * The wire's connections to the service. One carries one request at a time and says, in order, that
 * the request is being sent, each part of the reply, and how it ended. It never sends anything again.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import type { Endpoint } from '../../adapters/target.ts';
import type { FramedRequest, ReplyFraming, ReplyStep } from './conversation.ts';

/** What becomes of one request at the service. */
export interface ReplyReader {
  /** The service's connection stands and the request is being written to it. */
  sending(): void;
  interim(status: number, bytes: Buffer): void;
  /** Called with `whole` exactly once for a reply that was not cut; returns false to be given no more for now. */
  part(bytes: Buffer, status: number, whole: boolean): boolean;
  /** The service left the protocol; `rest` came after its last byte of it. */
  switched(bytes: Buffer, rest: Buffer): void;
  /** Bytes that can't be framed. */
  opaque(bytes: Buffer): void;
  /** The connection could not be made, or ended before the reply was whole. */
  broken(): void;
}

/** Opens a connection to the service, over TLS from its first byte where the protocol says so. */
export function connectUpstream(endpoint: Endpoint, connected: () => void): Socket {
  const { protocol, host, port } = endpoint;
  if (protocol !== 'https' && protocol !== 'smtps') {
    return connectTcp({ host, port, noDelay: true, allowHalfOpen: true }, connected);
  }
  const socket = connectTls(
    {
      host,
      port,
      ...(protocol === 'https' ? { ALPNProtocols: ['http/1.1'] } : {}),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(endpoint.caPem === undefined ? {} : { ca: endpoint.caPem }),
    },
    connected,
  );
  socket.setNoDelay(true);
  return socket;
}

/** What becomes of a part of a request that is all the service will get. */
export interface PartWatcher {
  /** The kernel took the bytes. */
  taken(): void;
  /** The connection is over. */
  over(wasTaken: boolean): void;
}

export interface UpstreamOptions {
  readonly service: Endpoint;
  readonly replies: ReplyFraming;
  /** Given what the service says besides its replies. */
  readonly aside: (bytes: Buffer) => void;
  /** The connection is over, whether it carried a request or not; `error` where it was not ended in order. */
  readonly closed: (error: Error | null) => void;
}

export class UpstreamConnection {
  readonly #socket: Socket;
  readonly #options: UpstreamOptions;
  #state: 'connecting' | 'connected' | 'closed' = 'connecting';
  #error: Error | null = null;
  #waiting: (() => void) | null = null;
  #part: { readonly watcher: PartWatcher; taken: boolean } | null = null;
  #reader: ReplyReader | null = null;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#socket = connectUpstream(options.service, () => {
      this.#state = 'connected';
      this.#waiting?.();
      this.#waiting = null;
    });
    this.#socket.on('data', this.#onData);
    this.#socket.on('end', this.#onEnd);
    this.#socket.on('error', this.#onError);
    this.#socket.once('close', () => {
      this.#state = 'closed';
      this.#break();
      options.closed(this.#error);
    });
  }

  /** Why the service was not believed to be the one it should be; null where it was, or was not asked. */
  get distrust(): string | null {
    if (!(this.#socket instanceof TLSSocket)) return null;
    const reason: unknown = this.#socket.authorizationError;
    return typeof reason === 'string' ? reason : null;
  }

  /** Only one at a time. */
  exchange(request: FramedRequest, reader: ReplyReader): void {
    if (this.#reader !== null) throw new Error('a second request on a busy connection');
    this.#reader = reader;
    this.#options.replies.expect(request);
    this.#whenConnected(() => {
      reader.sending();
      this.#socket.cork();
      for (const bytes of request.raw) this.#socket.write(bytes);
      this.#socket.uncork();
    });
  }

  /** The last thing this connection is used for; what comes back is not looked at. */
  sendPart(bytes: Buffer, watcher: PartWatcher): void {
    if (this.#reader !== null) throw new Error('a second request on a busy connection');
    const part = { watcher, taken: false };
    this.#part = part;
    this.#whenConnected(() => {
      this.#socket.write(bytes, (error) => {
        if (error || this.#part === null) return;
        part.taken = true;
        watcher.taken();
      });
    });
  }

  /** Bytes of no request's, which no reply is awaited for. */
  pass(bytes: Buffer): void {
    if (this.#state !== 'closed') this.#socket.write(bytes);
  }

  resume(): void {
    this.#socket.resume();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Gives the bare socket away, once nothing can be framed on it any more. */
  detach(): Socket {
    this.#reader = null;
    this.#socket.off('data', this.#onData);
    this.#socket.off('end', this.#onEnd);
    return this.#socket;
  }

  #whenConnected(send: () => void): void {
    if (this.#state === 'connected') send();
    else if (this.#state === 'connecting') this.#waiting = send;
    // Whoever waits for an answer is told in its own time, as by a connection that breaks now.
    else setImmediate(() => this.#break());
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#part !== null) return;
    for (const step of this.#options.replies.push(chunk)) this.#give(step);
  };

  readonly #onEnd = (): void => {
    const last = this.#options.replies.end();
    if (last !== null) this.#give(last);
    this.#socket.destroy();
  };

  /** Always followed by "close", where the request at hand is called broken. */
  readonly #onError = (error: Error): void => {
    this.#error = error;
  };

  #give(step: ReplyStep): void {
    const reader = this.#reader;
    if (step.kind === 'aside' || reader === null) {
      this.#options.aside(step.bytes);
      return;
    }
    switch (step.kind) {
      case 'interim':
        reader.interim(step.status, step.bytes);
        break;
      case 'part':
        if (step.whole) this.#reader = null;
        if (!reader.part(step.bytes, step.status, step.whole)) this.#socket.pause();
        break;
      case 'switched':
        reader.switched(step.bytes, step.rest);
        break;
      case 'opaque':
        reader.opaque(step.bytes);
        break;
      default:
        step satisfies never;
    }
  }

  #break(): void {
    const reader = this.#reader;
    const part = this.#part;
    this.#reader = null;
    this.#waiting = null;
    this.#part = null;
    reader?.broken();
    part?.watcher.over(part.taken);
  }
}
