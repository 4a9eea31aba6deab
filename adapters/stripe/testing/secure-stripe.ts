/**
 * The stand-in where Stripe would be: behind TLS, under an authority that only a file names, with a
 * test key of its own. What a live rail is given to reach it are environment variables.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { createRail, type StripeRailNamespace } from '../rail.ts';
import { throwAwayCertificate } from './loopback.ts';

export interface SecureStripe {
  readonly environment: Readonly<
    Record<'STRIPE_API_KEY' | 'KILLPOINT_STRIPE_URL' | 'KILLPOINT_STRIPE_CA', string>
  >;
  /** The account behind it. */
  readonly account: StripeRailNamespace;
  /** How many connections were opened to it so far, with or without a handshake. */
  connections(): number;
  close(): Promise<void>;
}

export async function openSecureStripe(
  /** What is answered instead, to a request that begins so: a head and a body. */
  instead: Readonly<Record<string, string>> = {},
): Promise<SecureStripe> {
  const rail = await createRail({ options: {} });
  const account = await rail.openNamespace('live');
  const { key, cert, authority } = await throwAwayCertificate({ type: 2, value: 'localhost' });
  const folder = mkdtempSync(join(tmpdir(), 'killpoint-ca-'));
  const caPath = join(folder, 'ca.pem');
  writeFileSync(caPath, authority);
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ key, cert }, (socket) => {
    const upstream = connect(account.endpoint.port, account.endpoint.host);
    socket.on('error', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
    socket.on('data', (bytes: Buffer) => {
      const text = bytes.toString('latin1');
      const start = Object.keys(instead).find((begin) => text.startsWith(begin));
      if (start === undefined) upstream.write(bytes);
      else socket.write(instead[start] ?? '');
    });
    socket.on('end', () => upstream.end());
    socket.on('close', () => upstream.destroy());
    upstream.pipe(socket);
  });
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    environment: {
      STRIPE_API_KEY: String(account.credentials.apiKey),
      KILLPOINT_STRIPE_URL: `https://localhost:${(server.address() as AddressInfo).port}`,
      KILLPOINT_STRIPE_CA: caPath,
    },
    account,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rail.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
