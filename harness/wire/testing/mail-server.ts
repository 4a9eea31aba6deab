/** A real SMTP server that keeps what it was sent, plain, behind TLS or with STARTTLS. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { GenerateResult } from 'selfsigned';
import { SMTPServer } from 'smtp-server';
import type { Endpoint } from '../../../adapters/target.ts';

export interface MailServer {
  readonly endpoint: Endpoint;
  /** The messages whose dot was read, and how those without one ended. */
  readonly journal: readonly string[];
  readonly cut: readonly string[];
  connections(): number;
  close(): Promise<void>;
}

export interface Security {
  readonly pems?: GenerateResult;
  readonly protocol?: 'smtp' | 'smtps';
}

export async function openMailServer({
  pems,
  protocol = 'smtp',
}: Security = {}): Promise<MailServer> {
  const journal: string[] = [];
  const cut: string[] = [];
  const server = new SMTPServer({
    secure: protocol === 'smtps',
    disabledCommands: pems === undefined || protocol === 'smtps' ? ['STARTTLS', 'AUTH'] : ['AUTH'],
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    ...(pems === undefined ? {} : { key: pems.private, cert: pems.cert }),
    onRcptTo: ({ address }, _session, answer) =>
      answer(address.startsWith('nobody') ? new Error('no such mailbox') : null),
    onData: (stream, _session, answer) => {
      let text = '';
      stream.on('data', (chunk) => {
        text += String(chunk);
      });
      stream.on('error', (error) => cut.push(error.message));
      stream.on('end', () => answer(null, `OK: queued as ${journal.push(text)}`));
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    endpoint: {
      protocol,
      host: pems === undefined ? '127.0.0.1' : 'localhost',
      port,
      ...(pems === undefined ? {} : { caPem: pems.cert }),
    },
    journal,
    cut,
    connections: () => server.connections.size,
    close: async () => {
      for (const connection of server.connections) connection.close();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
