/**
 * A real SMTP server for trials. In: SMTP on a loopback port. Out: what such a server answers, and a
 * journal of the messages that it has taken over. One server holds many namespaces, told apart by who
 * logs in; nothing leaks between them.
 */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import {
  SMTPServer,
  type SMTPServerDataStream,
  type SMTPServerError,
  type SMTPServerSession,
} from 'smtp-server';
import { type Grant, OpenAccounts } from '../../open-accounts.ts';
import type { CreateRail, Rail } from '../../rail.ts';
import { type Answer, Mailboxes, type SmtpRailNamespace } from './mailboxes.ts';

export type { SmtpRailNamespace } from './mailboxes.ts';

export interface SmtpRail extends Rail {
  openNamespace(id: string): Promise<SmtpRailNamespace>;
}

const host = '127.0.0.1';

/** Recipients this server refuses, by their local part; RFC 5321 4.2.3. */
const refusedRecipients: Readonly<
  Record<string, { readonly code: number; readonly text: string }>
> = {
  nobody: { code: 550, text: 'Mailbox unavailable' },
  busy: { code: 450, text: 'Mailbox busy' },
};

export const createRail = (async ({ options }): Promise<SmtpRail> => {
  const names = Object.keys(options);
  if (names.length > 0) {
    throw new Error(`Mail rail: there are no options; came ${names.join(', ')}. Remove them.`);
  }
  const accounts = new OpenAccounts<Mailboxes>('Mail');
  /** By the port at the other end, which is how a session names its connection. */
  const sockets = new Map<number, Socket>();
  const server = createServer(accounts, sockets);
  server.server.on('connection', (socket: Socket) => follow(socket, sockets));
  server.on('error', () => {
    // A connection that broke: its message, where there was one, has heard of it already.
  });
  server.listen(0, host);
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;

  return {
    name: 'email.smtp',
    openNamespace: async (id) => {
      const { account, forget } = accounts.open(id, () => {
        const account = new Mailboxes({ protocol: 'smtp', host, port });
        const { subject, person } = account.logins;
        return { account, credentials: { subject: subject.pass, person: person.pass } };
      });
      return account.open(forget);
    },
    close: async () => {
      accounts.close();
      for (const socket of sockets.values()) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}) satisfies CreateRail;

function follow(socket: Socket, sockets: Map<number, Socket>): void {
  const { remotePort } = socket;
  if (remotePort === undefined) return;
  sockets.set(remotePort, socket);
  socket.once('close', () => sockets.delete(remotePort));
}

function createServer(
  accounts: OpenAccounts<Mailboxes>,
  sockets: ReadonlyMap<number, Socket>,
): SMTPServer {
  return new SMTPServer({
    name: 'mail.example',
    // The wire reads what is said, and so do people in a trial's story.
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    hideENHANCEDSTATUSCODES: false,
    disableReverseLookup: true,
    logger: false,
    onAuth: ({ username, password }, _session, answer) => {
      const grant = accounts.grantOf(password);
      const isTheirs = grant !== undefined && grant.account.logins[grant.actor].user === username;
      answer(null, isTheirs ? { user: grant } : { message: 'Authentication credentials invalid' });
    },
    onRcptTo: ({ address }, _session, answer) => {
      const refused = refusedRecipients[address.split('@')[0] ?? ''];
      answer(refused === undefined ? null : refusal(refused));
    },
    onData: (stream, session, answer) => {
      const socket = sockets.get(session.remotePort);
      if (socket === undefined) return;
      void receive(stream, session, socket).then((said) => {
        if (said.kind === 'queued') answer(null, `OK: queued as ${said.queueId}`);
        if (said.kind === 'refused') answer(refusal(said));
      });
    },
  });
}

/** A message without its dot is none, and nobody is left to be answered. */
async function receive(
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  socket: Socket,
): Promise<Answer> {
  const { account, actor } = session.user as Grant<Mailboxes>;
  const recipients = session.envelope.rcptTo.map(({ address }) => address);
  const work = account.begin(socket);
  try {
    const bytes = await readWhole(stream);
    return bytes === null
      ? { kind: 'none' }
      : await account.take({ bytes, recipients, actor }, work);
  } finally {
    work.finish();
  }
}

/** Null where the connection ended before the dot. */
async function readWhole(stream: SMTPServerDataStream): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk as Buffer);
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
}

function refusal({
  code,
  text,
}: {
  readonly code: number;
  readonly text: string;
}): SMTPServerError {
  return Object.assign(new Error(text), { responseCode: code });
}
