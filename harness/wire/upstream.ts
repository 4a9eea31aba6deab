/**
 * The wire's connections to the service. One carries one request at a time and says, in order, that
 * the request is being sent, each part of the reply, and how it ended. It never sends anything again.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Endpoint } from '../../adapters/target.ts';
import { ReplyFramer, type ReplyStep } from './http-framing.ts';

/** What becomes of one request at the service. */
export interface ReplyReader {
  /** The service's connection stands and the request is being written to it. */
  sending(): void;
  interim(status: number, bytes: Buffer): void;
  /** Called with `whole` exactly once for a reply that was not cut; returns false to be given no more for now. */
  part(bytes: Buffer, status: number, whole: boolean): boolean;
  /** The service left HTTP; `rest` came after its last HTTP byte. */
  switched(bytes: Buffer, rest: Buffer): void;
  notHttp(bytes: Buffer): void;
  /** The connection could not be made, or ended before the reply was whole. */
  broken(): void;
}

/** Opens a connection to the service, over TLS where it speaks https. */
export function connectUpstream(endpoint: Endpoint, connected: () => void): Socket {
  const { host, port } = endpoint;
  if (endpoint.protocol !== 'https') {
    return connectTcp({ host, port, noDelay: true, allowHalfOpen: true }, connected);
  }
  const socket = connectTls(
    {
      host,
      port,
      ALPNProtocols: ['http/1.1'],
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

export class UpstreamConnection {
  readonly #socket: Socket;
  #connected = false;
  #waiting: (() => void) | null = null;
  #part: { readonly watcher: PartWatcher; taken: boolean } | null = null;
  #current: { readonly framer: ReplyFramer | null; readonly reader: ReplyReader } | null = null;

  /** `closed` is called when the connection is over, whether it carried a request or not. */
  constructor(endpoint: Endpoint, closed: () => void) {
    this.#socket = connectUpstream(endpoint, () => {
      this.#connected = true;
      this.#waiting?.();
      this.#waiting = null;
    });
    this.#socket.on('data', this.#onData);
    this.#socket.on('end', this.#onEnd);
    this.#socket.on('error', this.#onError);
    this.#socket.once('close', () => {
      this.#break();
      closed();
    });
  }

  /** Only one at a time. */
  exchange(method: string, raw: readonly Buffer[], reader: ReplyReader): void {
    if (this.#current !== null) throw new Error('a second request on a busy connection');
    this.#current = { framer: new ReplyFramer(method), reader };
    const send = (): void => {
      reader.sending();
      this.#socket.cork();
      for (const bytes of raw) this.#socket.write(bytes);
      this.#socket.uncork();
    };
    if (this.#connected) send();
    else this.#waiting = send;
  }

  /** The last thing this connection is used for; what comes back is not looked at. */
  sendPart(bytes: Buffer, watcher: PartWatcher): void {
    if (this.#current !== null) throw new Error('a second request on a busy connection');
    const part = { watcher, taken: false };
    this.#part = part;
    const send = (): void => {
      this.#socket.write(bytes, (error) => {
        if (error || this.#part === null) return;
        part.taken = true;
        watcher.taken();
      });
    };
    if (this.#connected) send();
    else this.#waiting = send;
  }

  resume(): void {
    this.#socket.resume();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Gives the bare socket away, once the service has left HTTP. */
  detach(): Socket {
    this.#current = null;
    this.#socket.off('data', this.#onData);
    this.#socket.off('end', this.#onEnd);
    return this.#socket;
  }

  readonly #onData = (chunk: Buffer): void => {
    // Bytes nobody asked for belong to no request; the service closes after them.
    if (this.#current === null) return;
    const { framer, reader } = this.#current;
    if (framer === null) reader.notHttp(chunk);
    else for (const step of framer.push(chunk)) this.#give(step);
  };

  readonly #onEnd = (): void => {
    const last = this.#current?.framer?.end();
    if (last !== null && last !== undefined) this.#give(last);
    this.#socket.destroy();
  };

  readonly #onError = (): void => {
    // Always followed by "close", where the request at hand is called broken.
  };

  #give(step: ReplyStep): void {
    const reader = this.#current?.reader;
    if (reader === undefined) return;
    switch (step.kind) {
      case 'interim':
        reader.interim(step.status, step.bytes);
        break;
      case 'part':
        if (step.whole) this.#current = null;
        if (!reader.part(step.bytes, step.status, step.whole)) this.#socket.pause();
        break;
      case 'switched':
        reader.switched(step.bytes, step.rest);
        break;
      case 'not-http':
        this.#current = { framer: null, reader };
        reader.notHttp(step.bytes);
        break;
      default:
        step satisfies never;
    }
  }

  #break(): void {
    const reader = this.#current?.reader;
    const part = this.#part;
    this.#current = null;
    this.#waiting = null;
    this.#part = null;
    reader?.broken();
    part?.watcher.over(part.taken);
  }
}
