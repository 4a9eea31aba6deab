/**
 * The lease authority a trial's gate asks: served by the harness, one for a whole run. A lease it does
 * not know is dead; one that is out of reach gets its connection broken.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LeaseState } from '../../gate/gate.ts';

export interface AuthorityServer {
  readonly url: string;
  grant(lease: string, state: LeaseState | 'unreachable'): void;
  forget(lease: string): void;
  close(): Promise<void>;
}

export async function openAuthorityServer(): Promise<AuthorityServer> {
  const leases = new Map<string, LeaseState | 'unreachable'>();
  const server = createServer((request, response) => {
    const lease = decodeURIComponent(request.url?.match(/^\/leases\/([^/?]+)$/)?.[1] ?? '');
    const state = leases.get(lease) ?? { kind: 'dead', reason: 'no such lease' };
    if (state === 'unreachable') {
      request.socket.destroy();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify(state));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    grant: (lease, state) => void leases.set(lease, state),
    forget: (lease) => void leases.delete(lease),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
