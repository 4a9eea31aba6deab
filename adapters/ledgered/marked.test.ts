import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../target.ts';
import { httpReply, openMarkedTarget, openNamespace, openRawServer } from './testing/loopback.ts';

const request: JsonObject = {
  operation: 'post',
  account: 'acc_1',
  reference: 'ref_1',
  amountMinor: 2000,
  currency: 'eur',
};
const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';

function bodyOf(text: string): { readonly body: string; readonly length: number } {
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return { body: text.slice(text.indexOf('\r\n\r\n') + 4), length };
}

describe('the mark of no return', () => {
  test('is set once, and then the entry is posted', async () => {
    const namespace = await openNamespace();
    let marks = 0;
    const result = await openMarkedTarget(namespace).apply({
      key: 'k',
      request,
      attempt: 1,
      markNoReturn: () => {
        marks += 1;
      },
    });
    expect(result).toMatchObject({ kind: 'landed', stamp: 'k' });
    expect(marks).toBe(1);
    expect(await namespace.effects()).toHaveLength(1);
  });

  test('is set when all but the last byte are out, and that byte leaves only afterwards', async () => {
    const server = await openRawServer((socket, text) => {
      const { body, length } = bodyOf(text);
      if (body === '') socket.write(goOn);
      if (body.length === length) socket.end(httpReply(500, {}));
    });
    const target = openMarkedTarget(server);
    await target.apply({
      key: 'k',
      request,
      attempt: 1,
      markNoReturn: () => {
        // Synchronous: not a byte can be written while it runs.
        const { body } = bodyOf(server.received[0] ?? '');
        expect(body.endsWith('}')).toBe(false);
      },
    });
    const { body, length } = bodyOf(server.received[0] ?? '');
    expect(body).toHaveLength(length);
    expect(JSON.parse(body)).toMatchObject({ id: 'k', amountMinor: 2000 });
  });

  test('that throws ends the request before its last byte, and the service does nothing', async () => {
    const namespace = await openNamespace();
    const call = openMarkedTarget(namespace).apply({
      key: 'k',
      request,
      attempt: 1,
      markNoReturn: () => {
        throw new Error('the ledger is gone');
      },
    });
    await expect(call).rejects.toThrow('the ledger is gone');
    await expect.poll(() => namespace.idle()).toBe(true);
    expect(await namespace.effects()).toEqual([]);
    expect(namespace.requests()).toEqual([]);
  });

  test.each<[string, Parameters<typeof openRawServer>[0], string]>([
    ['refuses the connection’s first bytes', (socket) => socket.resetAndDestroy(), 'unknown'],
    ['closes instead of asking for the body', (socket) => socket.end(), 'unknown'],
    ['never asks for the body', () => undefined, 'unknown'],
    [
      'refuses on the head alone',
      (socket) => socket.end(httpReply(401, { error: { code: 'unauthorized', message: 'no' } })),
      'refused',
    ],
  ])('is not set when the service %s', async (_, onData, kind) => {
    const server = await openRawServer(onData);
    let marks = 0;
    const target = openMarkedTarget(server, { clientTimeoutMs: 80 });
    const markNoReturn = () => {
      marks += 1;
    };
    expect(await target.apply({ key: 'k', request, attempt: 1, markNoReturn })).toMatchObject({
      kind,
    });
    expect(marks).toBe(0);
    expect(bodyOf(server.received[0] ?? '').body).toBe('');
  });

  test('is not set when nobody listens', async () => {
    const endpoint = { protocol: 'http', host: '127.0.0.1', port: 1 } as const;
    let marks = 0;
    const result = await openMarkedTarget({ endpoint, credentials: { token: 'raw-token' } }).apply({
      key: 'k',
      request,
      attempt: 1,
      markNoReturn: () => {
        marks += 1;
      },
    });
    expect(result).toMatchObject({ kind: 'unknown', cause: 'connection' });
    expect(marks).toBe(0);
  });

  test('is set before an answer is lost', async () => {
    const server = await openRawServer((socket, text) => {
      const { body, length } = bodyOf(text);
      if (body === '') socket.write(goOn);
      if (body.length === length) socket.resetAndDestroy();
    });
    let marks = 0;
    const markNoReturn = () => {
      marks += 1;
    };
    expect(
      await openMarkedTarget(server).apply({ key: 'k', request, attempt: 1, markNoReturn }),
    ).toMatchObject({ kind: 'unknown', cause: 'connection' });
    expect(marks).toBe(1);
  });
});

test('a service that has all but the last byte does nothing, whatever becomes of the sender', async () => {
  const namespace = await openNamespace();
  const { port, host } = namespace.endpoint;
  const body = JSON.stringify({ id: 'k', ...request, operation: undefined });
  const socket = connect(port, host);
  socket.write(
    `POST /entries HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${namespace.credentials.token}\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, -1)}`,
  );
  await expect.poll(() => namespace.idle()).toBe(false);
  await sleep(20);
  expect(await namespace.effects()).toEqual([]);
  socket.destroy();
  await expect.poll(() => namespace.idle()).toBe(true);
  expect(await namespace.effects()).toEqual([]);
});
