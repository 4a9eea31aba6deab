/** What each end of an SMTP conversation is taken for, and that there is never more than one of it. */
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { clientTimeoutMs, openTarget, request } from './testing/open-rail.ts';
import { breaks, type Line, openScriptedServer, type Script } from './testing/scripted-server.ts';

const call = { key: 'key-1', request, attempt: 1 };
const credentials = { user: 'shop', pass: 'p4ssw0rd-of-the-shop' };

/** What becomes of one mail at a server that follows the script, and whether its dot was sent. */
async function send(script: Script, options = {}) {
  const server = await openScriptedServer(script);
  let marks = 0;
  const target = openTarget({ ...server, credentials }, options);
  const result = await target.apply({
    ...call,
    markNoReturn: () => {
      marks += 1;
    },
  });
  return { result, marks, server };
}

describe('the reply to the final dot', () => {
  test.each([
    ['250 2.0.0 Ok: queued as 4XyzAb\r\n', '4XyzAb'],
    ['250 OK id=1rAbCd-0000aB-1F\r\n', '1rAbCd-0000aB-1F'],
    ['250 2.0.0 3B1ABCDE012345 Message accepted for delivery\r\n', '3B1ABCDE012345'],
    ['250-hold the line\r\n250 2.0.0 OK\r\n', '<key-1@killpoint.sender.example>'],
    ['250\r\n', '<key-1@killpoint.sender.example>'],
    [
      '250 2.0.0 OK <DB9P@eurprd.prod.outlook.com> [Hostname=DB9P]\r\n',
      '<DB9P@eurprd.prod.outlook.com>',
    ],
  ])('%j lands, known by the name the server gave it or by ours', async (message, entityId) => {
    const { result, marks } = await send({ message });
    expect(result).toEqual({ kind: 'landed', entityId, stamp: 'key-1' });
    expect(marks).toBe(1);
  });

  test.each([
    ['451 4.3.0 try again\r\n', true],
    ['421 4.3.2 closing\r\n', true],
    ['452 4.2.2 mailbox full\r\n', true],
    ['550 5.7.1 content rejected\r\n', false],
    ['554-5.7.1 no\r\n554 5.7.1 never\r\n', false],
    ['530 5.7.0 authentication required\r\n', true],
  ])('%j refuses for good or not', async (message, mendable) => {
    const { result } = await send({ message });
    expect(result).toMatchObject({ kind: 'refused', mendable });
  });

  test.each<[string, Line, string]>([
    ['an end', breaks.fin, 'connection'],
    ['a reset', breaks.rst, 'connection'],
    ['silence', breaks.silence, 'timeout'],
    ['a cut 250', (socket) => socket.end('250 2.0.0 Ok: queu'), 'connection'],
    ['a cut refusal', (socket) => socket.end('550 5.7.1 conte'), 'connection'],
    ['a reply that goes on for ever', '250-a\r\n', 'timeout'],
    ['354 again', '354 go on\r\n', 'unreadable'],
    ['no SMTP', 'HTTP/1.1 400 Bad Request\r\n', 'unreadable'],
    ['a number that is no code', '4512 bytes received\r\n', 'unreadable'],
    ['a code that is none of SMTP', '600 what\r\n', 'unreadable'],
  ])('lost to %s leaves it unknown', async (_name, message, cause) => {
    const { result, marks, server } = await send({ message }, { clientTimeoutMs: 300 });
    expect(result).toMatchObject({ kind: 'unknown', cause });
    expect(marks).toBe(1);
    expect(server.heard).toHaveLength(1);
  });
});

describe('what is said before the message', () => {
  test.each<[string, Script, object]>([
    ['a login', { auth: '535 5.7.8 no\r\n' }, { kind: 'refused', mendable: true }],
    ['a login for now', { auth: '454 4.7.0 no\r\n' }, { kind: 'refused', mendable: true }],
    ['a sender', { mail: '550 5.1.8 no\r\n' }, { kind: 'refused', mendable: false }],
    ['a recipient', { rcpt: '550 5.1.1 no\r\n' }, { kind: 'refused', mendable: false }],
    ['a recipient for now', { rcpt: '450 4.2.1 no\r\n' }, { kind: 'refused', mendable: true }],
    ['DATA', { data: '451 4.3.0 no\r\n' }, { kind: 'refused', mendable: true }],
    ['us', { greeting: '554 5.3.2 no\r\n' }, { kind: 'refused', mendable: true }],
    ['us for now', { greeting: '421 4.3.2 no\r\n' }, { kind: 'refused', mendable: true }],
  ])('refuses %s', async (_name, script, expected) => {
    const { result, marks, server } = await send(script);
    expect(result).toMatchObject(expected);
    expect(marks).toBe(0);
    expect(server.heard.join('')).not.toContain('Subject:');
  });

  test.each(['greeting', 'ehlo', 'auth', 'mail', 'rcpt', 'data'] as const)(
    'and lost at %s proves nothing by itself, but no mark was made',
    async (place) => {
      for (const [how, cause] of [
        [breaks.fin, 'connection'],
        [breaks.rst, 'connection'],
        [breaks.silence, 'timeout'],
      ] as const) {
        const { result, marks } = await send({ [place]: how }, { clientTimeoutMs: 200 });
        expect(result).toMatchObject({ kind: 'unknown', cause });
        expect(marks).toBe(0);
      }
    },
  );

  test('is nothing where nobody listens', async () => {
    const endpoint = { protocol: 'smtp', host: '127.0.0.1', port: 1 } as const;
    expect(await openTarget({ endpoint }).apply(call)).toMatchObject({
      kind: 'unknown',
      cause: 'connection',
    });
  });

  test('may never end, and then it says nothing', async () => {
    const { result, marks } = await send({ mail: '250-more\r\n'.repeat(200_000) });
    expect(result).toMatchObject({ kind: 'unknown', cause: 'unreadable' });
    expect(marks).toBe(0);
  });

  test('may be that the message is too long for the server, and then nothing is sent', async () => {
    const { result, server } = await send({
      ehlo: '250-mail.example\r\n250-AUTH PLAIN\r\n250 SIZE 100\r\n',
    });
    expect(result).toMatchObject({ kind: 'refused', mendable: false });
    expect(JSON.stringify(result)).toContain('Nothing was sent');
    expect(server.heard.join('')).not.toContain('MAIL FROM');
  });

  test('may be that the server can’t do TLS where it is required', async () => {
    const { result, server } = await send({}, { requireTls: true });
    expect(result).toMatchObject({ kind: 'unknown', cause: 'connection' });
    expect(server.heard.join('')).not.toContain('AUTH');
  });
});

describe('a call', () => {
  test('that is never answered ends in time, whatever trickles in', async () => {
    const trickle = (socket: Socket) => {
      const timer = setInterval(() => socket.write('250-still here\r\n'), 30);
      socket.once('close', () => clearInterval(timer));
    };
    const began = performance.now();
    const { result } = await send({ message: trickle }, { clientTimeoutMs: 300 });
    expect(result).toMatchObject({ kind: 'unknown', cause: 'timeout' });
    expect(performance.now() - began).toBeLessThan(clientTimeoutMs);
  });

  test('is cut when the target is closed', async () => {
    const server = await openScriptedServer({ message: breaks.silence });
    const target = openTarget(server);
    const sent = target.apply(call);
    await expect.poll(() => server.heard[0]).toMatch(/\r\n\.\r\n$/);
    await target.close?.();
    expect(await sent).toMatchObject({ kind: 'unknown', cause: 'connection' });
  });

  test('sends nothing for a key or a request that can’t be', async () => {
    const server = await openScriptedServer();
    const target = openTarget(server);
    const wrong = [
      { ...call, key: '' },
      { ...call, key: 'ü'.repeat(126) },
      { ...call, request: { ...request, recipient: ['a@b', 'c@d'] } },
    ];
    for (const each of wrong) {
      const result = await target.apply(each);
      expect(result).toMatchObject({ kind: 'refused', mendable: false });
      expect(JSON.stringify(result)).toContain('Nothing was sent');
    }
    expect(server.heard).toEqual([]);
  });

  test('writes no line that is too long, whatever the key and the domain', async () => {
    const server = await openScriptedServer();
    const from = `a@${'d'.repeat(252)}`;
    const send = (key: string) =>
      openTarget(server).apply({ ...call, key, request: { ...request, from } });
    expect(await send('='.repeat(240))).toMatchObject({ kind: 'landed' });
    const lengths = (server.heard[0] ?? '').split('\r\n').map(({ length }) => length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(998);
    expect(await send('='.repeat(241))).toMatchObject({ kind: 'refused' });
  });

  test('tells nobody the password, though the server echoes it', async () => {
    const { result } = await send({ mail: `550 5.7.1 no, ${credentials.pass}\r\n` });
    expect(JSON.stringify(result)).toContain('[pass]');
    expect(JSON.stringify(result)).not.toContain(credentials.pass);
  });

  test.each([
    ['as a login sends it', `\0${credentials.user}\0${credentials.pass}`],
    ['by itself', credentials.pass],
  ])('tells nobody the password in base64 either: %s', async (_, plain) => {
    const written = Buffer.from(plain).toString('base64');
    const { result } = await send({ auth: `535 5.7.8 no: AUTH PLAIN ${written}\r\n` });
    expect(result).toMatchObject({ kind: 'refused', mendable: true });
    expect(JSON.stringify(result)).toContain('[pass]');
    expect(JSON.stringify(result)).not.toContain(written);
  });
});

describe('a mail target', () => {
  const endpoint = { protocol: 'smtp', host: '127.0.0.1', port: 25 } as const;

  test('declares that it can’t be asked, and marks where no return is', () => {
    const { declaration, query, fence, name } = openTarget({ endpoint });
    expect([name, query, fence]).toEqual(['email.smtp', undefined, undefined]);
    expect(declaration).toEqual({
      dedupe: null,
      onceByState: false,
      guardsPremises: false,
      lookup: null,
      absence: 'never',
      storedErrorFinal: false,
      noReturnMark: true,
      premises: [],
      clientTimeoutMs,
    });
    expect(openTarget({ endpoint }, { mark: false }).declaration.noReturnMark).toBe(false);
  });

  test('reads no premises, and can’t tell of any', async () => {
    const target = openTarget({ endpoint });
    expect(await target.capture(request)).toEqual([]);
    expect(await target.validate(request, [], 'key')).toEqual({ kind: 'hold' });
    const premise = { kind: 'value-equals', fact: 'weather', value: 1 } as const;
    expect(await target.validate(request, [premise], 'key')).toMatchObject({
      kind: 'could-not-tell',
    });
  });

  test('names the decision by who sends it, to whom and what for', () => {
    const named = openTarget({ endpoint, credentials }).identify(request);
    expect(named).toEqual({
      target: 'email.smtp',
      account: 'shop',
      operation: 'send',
      subject: `${request.recipient}/${request.reference}`,
      keyFields: {},
    });
    expect(openTarget({ endpoint }).identify(request).account).toBe('anonymous');
  });

  test.each([
    [{ options: { pool: true } }, /options may hold .*; also came pool/],
    [{ options: { clientTimeoutMs: 0 } }, /clientTimeoutMs must be an integer from 1/],
    [{ options: { mark: 'no' } }, /mark must be true or false; came "no"/],
    [{ credentials: { user: 'shop' } }, /must hold user and pass, both texts, or neither/],
    [{ credentials: { user: 'a', pass: 'b', token: 'c' } }, /also came token/],
    [{ endpoint: { ...endpoint, protocol: 'http' as const } }, /must be smtp or smtps; came http/],
    [{ endpoint: { ...endpoint, caPem: 'x' } }, /caPem goes with TLS/],
  ])('refuses %j', (wrong, message) => {
    const usual = { endpoint, credentials: {}, ...wrong };
    expect(() => openTarget(usual, 'options' in wrong ? wrong.options : {})).toThrow(message);
  });
});
