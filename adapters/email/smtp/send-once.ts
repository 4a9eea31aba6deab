/**
 * One mail over one SMTP connection of its own. In: a server, a message, and what has to be done
 * before its last byte. Out: how that ended, told in the server's words or the network's. Nothing is
 * kept, pooled or sent again, and one deadline counts from the first byte to the last.
 *
 * The message is handed to nodemailer as a stream. It sends the final dot when that stream ends, so
 * what has to be durable before the dot is done between the stream's last bytes and its end.
 */
import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { afterReading, readWhatCame } from '../../after-reading.ts';
import type { Endpoint } from '../../target.ts';
import type { Credentials, Options } from './configuration.ts';

export interface Mailing {
  readonly from: string;
  readonly recipient: string;
  readonly message: Buffer;
  /** Done when the whole message but its end is on its way; what it throws leaves it without an end. */
  readonly beforeDot: (() => void) | undefined;
}

export interface Ending {
  /** The dot may have been sent. */
  readonly dotSent: boolean;
  readonly how:
    | { readonly kind: 'accepted'; readonly reply: string; readonly serverMessageId: string | null }
    | { readonly kind: 'failed'; readonly error: Error }
    | { readonly kind: 'late' }
    /** `beforeDot` threw this. */
    | { readonly kind: 'stopped'; readonly thrown: unknown };
}

export interface MailServer {
  readonly endpoint: Endpoint;
  readonly credentials: Credentials | null;
  readonly options: Options;
}

/** How much is handed over at a time: the end is not come to while the network is behind. */
const chunkBytes = 16 * 1024;

export class MailCall {
  readonly ended: Promise<Ending>;
  readonly #mailing: Mailing;
  readonly #credentials: Credentials | null;
  readonly #connection: SMTPConnection;
  readonly #deadline: { cancel(): void };
  #resolve: (ending: Ending) => void = () => undefined;
  #dotSent = false;
  #isOver = false;

  constructor(server: MailServer, mailing: Mailing) {
    this.#mailing = mailing;
    this.#credentials = server.credentials;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#connection = new SMTPConnection(connectionOptions(server));
    this.#deadline = afterReading(server.options.clientTimeoutMs, () =>
      this.#end({ kind: 'late' }),
    );
    this.#connection.on('error', (error) => this.#fail(error));
    // What ends it says so first, where there is something to say.
    this.#connection.once('end', () => setImmediate(() => this.cut()));
    this.#connection.connect((error) => this.#unless(error, () => this.#logIn()));
  }

  cut(): void {
    this.#fail(new Error('the connection was closed'));
  }

  #logIn(): void {
    if (this.#credentials === null) {
      this.#send();
      return;
    }
    const login = { credentials: { ...this.#credentials } };
    this.#connection.login(login, (error) => this.#unless(error, () => this.#send()));
  }

  #send(): void {
    const { from, recipient, message } = this.#mailing;
    const envelope = { from, to: [recipient], size: message.length };
    const stream = Readable.from(this.#message(), { objectMode: false });
    this.#connection.send(envelope, stream, (error, info) =>
      this.#unless(error, () =>
        this.#end({
          kind: 'accepted',
          reply: info?.response ?? '',
          serverMessageId: info?.serverMessageId ?? null,
        }),
      ),
    );
  }

  async *#message(): AsyncGenerator<Buffer> {
    const { message, beforeDot } = this.#mailing;
    for (let at = 0; at < message.length; at += chunkBytes) {
      yield message.subarray(at, at + chunkBytes);
    }
    // A reply that is here already is none to the dot, and may be why it need not be sent.
    await readWhatCame();
    if (this.#isOver) throw new Error('the call has ended');
    try {
      beforeDot?.();
    } catch (thrown) {
      this.#end({ kind: 'stopped', thrown });
      throw thrown;
    }
    this.#dotSent = true;
  }

  #unless(error: Error | null | undefined, next: () => void): void {
    if (error) this.#fail(error);
    else next();
  }

  #fail(error: Error): void {
    this.#end({ kind: 'failed', error });
  }

  /** The first end counts. */
  #end(how: Ending['how']): void {
    this.#isOver = true;
    this.#deadline.cancel();
    this.#resolve({ dotSent: this.#dotSent, how });
    this.#connection.close();
  }
}

function connectionOptions({ endpoint, options }: MailServer) {
  const { host, port, protocol, caPem } = endpoint;
  const { clientTimeoutMs, requireTls } = options;
  return {
    host,
    port,
    secure: protocol === 'smtps',
    requireTLS: protocol === 'smtp' && requireTls,
    ...(caPem === undefined ? {} : { tls: { ca: caPem } }),
    // One deadline ends it all; these only keep nodemailer from waiting longer than that.
    connectionTimeout: clientTimeoutMs,
    greetingTimeout: clientTimeoutMs,
    socketTimeout: clientTimeoutMs,
    dnsTimeout: clientTimeoutMs,
    socketCloseTimeout: 0,
  };
}
