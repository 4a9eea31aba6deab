/**
 * A connection of the subject's that stands and is never read: the kernel accepted it, and nobody
 * looks at what it brings. Unread, its end can't be seen either, so whoever knows that its sender is
 * dead has it read to the end; those bytes are handled by nobody.
 */
import type { Socket } from 'node:net';
import type { ExchangeContext } from './exchange.ts';

/** A connection that has just been accepted by the kernel. */
export interface ConnectionInfo {
  readonly incarnation: number;
  readonly connection: number;
}

export interface HeldConnectionContext extends Pick<ExchangeContext, 'observe' | 'progress'> {
  readonly keep: (socket: { destroy(): void }) => void;
  readonly release: (socket: { destroy(): void }) => void;
}

export class HeldConnection {
  readonly incarnation: number;
  readonly #socket: Socket;

  /** The socket must be paused, and nothing read from it. */
  constructor(socket: Socket, numbers: ConnectionInfo, context: HeldConnectionContext) {
    const { keep, observe, progress, release } = context;
    const { incarnation, connection } = numbers;
    this.incarnation = incarnation;
    this.#socket = socket;
    keep(socket);
    progress.began(incarnation, 'connections');
    observe({ type: 'connection', incarnation, connection, what: 'opened' });
    socket.on('error', () => {
      // Always followed by "close".
    });
    socket.once('end', () => socket.destroy());
    socket.once('close', () => {
      observe({ type: 'connection', incarnation, connection, what: 'closed' });
      release(socket);
      progress.ended(incarnation, 'connections');
    });
  }

  /** Throws away what has come, so that an end behind it is seen. */
  lookForEnd(): void {
    this.#socket.resume();
  }
}
