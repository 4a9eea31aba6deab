/** The mark of no return: when it is made, and that without it no message ever gets its end. */
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { openNamespace, openTarget, request } from './testing/open-rail.ts';
import { breaks, openScriptedServer } from './testing/scripted-server.ts';

const call = { key: 'key-1', request, attempt: 1 };
const endOfMessage = /\r\n\.\r\n/;
/** Many chunks, so that its end is far from its beginning. */
const long = { ...request, text: 'line\n.\n'.repeat(50_000).concat('end') };

describe('the mark of no return', () => {
  test.each([
    ['short', request],
    ['long', long],
  ])(
    'is made once, when the message was asked for and its dot is still here: %s',
    async (_, mail) => {
      const server = await openScriptedServer();
      const heardAtMark: string[] = [];
      const result = await openTarget(server).apply({
        ...call,
        request: mail,
        markNoReturn: () => void heardAtMark.push(server.heard[0] ?? ''),
      });
      expect(result).toMatchObject({ kind: 'landed' });
      expect(heardAtMark).toHaveLength(1);
      expect(heardAtMark[0]).toMatch(/DATA\r\n/);
      expect(heardAtMark[0]).not.toMatch(endOfMessage);
      expect(server.heard[0]).toMatch(endOfMessage);
    },
  );

  test.each([
    ['short', request],
    ['long', long],
  ])(
    'that throws leaves the message without its dot, and the connection is over: %s',
    async (_, mail) => {
      let closed = 0;
      const server = await openScriptedServer({
        data: '354 go on\r\n',
        greeting: (socket) => {
          socket.once('close', () => {
            closed += 1;
          });
          socket.write('220 mail.example ESMTP\r\n');
        },
      });
      const sent = openTarget(server).apply({
        ...call,
        request: mail,
        markNoReturn: () => {
          throw new Error('the ledger is gone');
        },
      });
      await expect(sent).rejects.toThrow('the ledger is gone');
      await expect.poll(() => closed).toBe(1);
      expect(server.heard).toHaveLength(1);
      expect(server.heard[0]).toMatch(/DATA\r\n/);
      expect(server.heard[0]).not.toMatch(endOfMessage);
    },
  );

  test('that throws is no delivery to a real server', async () => {
    const namespace = await openNamespace();
    const sent = openTarget(namespace).apply({
      ...call,
      markNoReturn: () => {
        throw new Error('the ledger is gone');
      },
    });
    await expect(sent).rejects.toThrow('the ledger is gone');
    await expect.poll(() => namespace.idle()).toBe(true);
    expect(await namespace.effects()).toEqual([]);
  });

  test.each<[string, (socket: Socket) => void, object]>([
    [
      'taken already',
      (socket) => socket.write('250 2.0.0 OK\r\n'),
      { kind: 'unknown', cause: 'unreadable' },
    ],
    [
      'refused already',
      (socket) => socket.write('552 5.3.4 no\r\n'),
      { kind: 'refused', mendable: false },
    ],
    [
      'given up already',
      (socket) => socket.write('421 4.3.2 no\r\n'),
      { kind: 'refused', mendable: true },
    ],
    ['cut off', breaks.rst, { kind: 'unknown', cause: 'connection' }],
  ])('is not made for a message that is %s before its dot', async (_, data, expected) => {
    const server = await openScriptedServer({
      data: (socket) => {
        socket.write('354 go on\r\n');
        data(socket);
      },
    });
    let marks = 0;
    const result = await openTarget(server).apply({
      ...call,
      markNoReturn: () => {
        marks += 1;
      },
    });
    expect(result).toMatchObject(expected);
    expect(marks).toBe(0);
    expect(server.heard[0]).not.toMatch(endOfMessage);
  });

  test('is not made by a target that was told not to, which declares none', async () => {
    const namespace = await openNamespace();
    const target = openTarget(namespace, { mark: false });
    const markNoReturn = () => {
      throw new Error('nobody asked for it');
    };
    expect(await target.apply({ ...call, markNoReturn })).toMatchObject({ kind: 'landed' });
  });

  test('need not be wanted by whoever calls', async () => {
    const namespace = await openNamespace();
    expect(await openTarget(namespace).apply(call)).toMatchObject({ kind: 'landed' });
  });
});
