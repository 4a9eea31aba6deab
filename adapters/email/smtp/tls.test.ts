/** A mail server behind TLS: whom the target believes, and what it says before that. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type GenerateResult, generate } from 'selfsigned';
import { SMTPServer } from 'smtp-server';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Endpoint } from '../../target.ts';
import { openTarget, request } from './testing/open-rail.ts';

const credentials = { user: 'shop', pass: 'secret' };
const call = { key: 'key-1', request, attempt: 1, markNoReturn: () => undefined };

let pems: GenerateResult;
beforeAll(async () => {
  pems = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
    ],
  });
});

/** Takes a login and a mail only where the connection is secure. */
async function openSecureServer(protocol: 'smtp' | 'smtps') {
  const logins: boolean[] = [];
  const server = new SMTPServer({
    secure: protocol === 'smtps',
    key: pems.private,
    cert: pems.cert,
    disableReverseLookup: true,
    logger: false,
    onAuth: (_auth, { secure }, answer) => {
      logins.push(secure);
      answer(null, { user: 'shop' });
    },
    onData: (stream, _session, answer) => {
      stream.resume();
      stream.once('end', () => answer(null, 'OK: queued as 1'));
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  const endpoint: Endpoint = { protocol, host: 'localhost', port, caPem: pems.cert };
  return { endpoint, credentials, logins };
}

describe.each(['smtp', 'smtps'] as const)('a server that speaks %s over TLS', (protocol) => {
  test('is sent to once it has shown who it is', async () => {
    const server = await openSecureServer(protocol);
    const result = await openTarget(server, { requireTls: true }).apply(call);
    expect(result).toEqual({ kind: 'landed', entityId: '1', stamp: 'key-1' });
    expect(server.logins).toEqual([true]);
  });

  test('and shows another certificate is told nothing, and no mark is made', async () => {
    const server = await openSecureServer(protocol);
    const endpoint = { ...server.endpoint, caPem: (await generate()).cert };
    const target = openTarget({ ...server, endpoint }, { requireTls: true });
    const markNoReturn = () => expect.unreachable('nothing was to be sent');
    const result = await target.apply({ ...call, markNoReturn });
    expect(result).toMatchObject({ kind: 'unknown', cause: 'connection' });
    expect(server.logins).toEqual([]);
  });
});
