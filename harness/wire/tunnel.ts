/**
 * Joins the subject's connection with one to the service and passes bytes both ways, untouched and
 * unread, until both have ended. An end is passed on as an end, a break as a break.
 */
import type { Socket } from 'node:net';

export interface TunnelOptions {
  readonly subject: Socket;
  readonly service: Socket;
  /** Bytes of the subject's that were read before. */
  readonly first: readonly Buffer[];
  /** Called once, when the first byte passes, whichever way. */
  readonly onBytes: () => void;
  readonly onServiceBroken: () => void;
  /** The service's side is over. */
  readonly onOver: () => void;
}

export function joinSockets(options: TunnelOptions): void {
  const { subject, service } = options;
  let seen = false;
  const see = (): void => {
    if (!seen) options.onBytes();
    seen = true;
  };
  if (options.first.length > 0) see();
  for (const bytes of options.first) service.write(bytes);
  subject.once('data', see);
  service.once('data', see);
  service.on('error', options.onServiceBroken);
  service.once('close', () => {
    subject.end();
    options.onOver();
  });
  subject.once('close', () => {
    // After an ordinary end the service finishes by itself.
    if (!service.writableEnded) service.destroy();
  });
  subject.pipe(service);
  service.pipe(subject);
}
