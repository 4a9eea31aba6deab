/** A real client, a wire and a real SMTP server: what is decided about a message, and what becomes of it. */
import { createTransport } from 'nodemailer';
import { type GenerateResult, generate } from 'selfsigned';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Endpoint } from '../../adapters/target.ts';
import type { ObservedEvent } from '../model/history.ts';
import {
  decide,
  RawClient,
  untouched,
  type WatchedWire,
  watchWire,
} from './testing/little-service.ts';
import { type MailServer, openMailServer, type Security } from './testing/mail-server.ts';
import type { Handling, WireDecisions } from './wire.ts';

async function startMailServer(security?: Security): Promise<MailServer> {
  const server = await openMailServer(security);
  onTestFinished(server.close);
  return server;
}

async function watch(upstream: Endpoint, decisions: WireDecisions): Promise<WatchedWire> {
  const watched = await watchWire(upstream, decisions);
  onTestFinished(() => watched.wire.close());
  return watched;
}

const onMutating = (handling: Handling): WireDecisions => ({
  connection: () => 'accept',
  request: ({ mutating }) => (mutating ? handling : untouched),
});

async function send({ endpoint }: WatchedWire, { to = 'a@b.example', caPem = '' } = {}) {
  const { host, port } = endpoint;
  const tls = caPem === '' ? {} : { requireTLS: true, tls: { ca: caPem, servername: 'localhost' } };
  const transport = createTransport({ host, port, socketTimeout: 400, ...tls });
  onTestFinished(() => transport.close());
  try {
    const mail = { from: 'x@y.example', to, subject: 'hi', text: 'there\n.\nis a dot' };
    return (await transport.sendMail(mail)).response;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const wholes = (events: readonly ObservedEvent[]) =>
  events.flatMap((event) =>
    event.type === 'request-whole' ? [[event.method, event.path, event.mutating]] : [],
  );
/** The events of the request that could take effect, by type. */
const steps = (events: readonly ObservedEvent[]) => {
  const whole = events.find((event) => event.type === 'request-whole' && event.mutating);
  const request = whole?.type === 'request-whole' ? whole.request : null;
  return events.flatMap((event) =>
    'request' in event && event.request === request ? [event.type] : [],
  );
};
const passed = ['request-began', 'request-whole', 'forwarded', 'replied'];

describe('a mail on the wire', () => {
  it('passes untouched, greeting first, and each of its requests is told', async () => {
    const server = await startMailServer();
    const watched = await watch(server.endpoint, decide(untouched));
    expect(watched.endpoint.protocol).toBe('smtp');
    expect(await send(watched)).toBe('250 OK: queued as 1');
    expect(server.journal).toHaveLength(1);
    expect(server.journal[0]).toContain('there\r\n.\r\nis a dot');
    expect(wholes(watched.events)).toEqual([
      ['EHLO', '', false],
      ['MAIL', 'x@y.example', false],
      ['RCPT', 'a@b.example', false],
      ['DATA', '', false],
      ['MESSAGE', 'x@y.example > a@b.example', true],
    ]);
    expect(steps(watched.events)).toEqual([...passed, 'delivered']);
    expect(JSON.stringify(watched.events)).not.toContain('is a dot');
    expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
    await expect.poll(server.connections).toBe(0);
  });

  it('is at rest before its first command and between any two, and can be reset there', async () => {
    const server = await startMailServer();
    const watched = await watch(server.endpoint, decide(untouched));
    const client = new RawClient(watched.endpoint);
    await client.reads('220 ');
    expect(watched.wire.open()).toBe(0);
    client.socket.write('EHLO me\r\n');
    await client.reads('250 ');
    expect(await watched.wire.whenQuiet(1000)).toBe(true);
    watched.wire.resetIdle();
    await client.closed();
    await expect.poll(server.connections).toBe(0);
  });

  it.each([
    ['lost on the way', { upstream: 'discard', reply: 'reset' }, 'ESOCKET', 0],
    ['whose reply is reset', { upstream: 'forward', reply: 'reset' }, 'ESOCKET', 1],
    ['whose reply is an end', { upstream: 'forward', reply: 'end' }, 'ECONNECTION', 1],
    ['whose reply is silence', { upstream: 'forward', reply: 'withhold' }, 'ETIMEDOUT', 1],
    ['whose reply breaks off', { upstream: 'forward', reply: 'truncate' }, 'ECONNECTION', 1],
    [
      'of which a byte is answered',
      { upstream: 'forward', reply: { part: 'first-byte' } },
      'ETIMEDOUT',
      1,
    ],
    ['whose reply is late', { upstream: 'forward', reply: { delayMs: 600 } }, 'ETIMEDOUT', 1],
  ] as const)('%s leaves what it must', async (_name, handling, code, delivered) => {
    const server = await startMailServer();
    const watched = await watch(server.endpoint, onMutating(handling));
    expect(await send(watched)).toBe(code);
    expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
    expect(server.journal).toHaveLength(delivered);
    await expect.poll(server.connections).toBe(0);
  });

  it('of which half is given on is none, and its server hears of no end', async () => {
    const server = await startMailServer();
    const handling = { upstream: 'half', reply: 'withhold' } as const;
    const watched = await watch(server.endpoint, onMutating(handling));
    expect(await send(watched)).toBe('ETIMEDOUT');
    expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
    expect(steps(watched.events)).toContain('forwarded-part');
    await expect
      .poll(() => server.cut)
      .toEqual(['Connection closed before the message was received in full']);
    expect(server.journal).toEqual([]);
  });

  it('that is held lands when it is released, though its sender is gone', async () => {
    const server = await startMailServer();
    const watched = await watch(
      server.endpoint,
      onMutating({ upstream: 'hold', reply: 'withhold' }),
    );
    expect(await send(watched)).toBe('ETIMEDOUT');
    expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
    expect(server.journal).toEqual([]);
    watched.wire.release();
    expect(await watched.wire.whenQuiet(1000)).toBe(true);
    expect(server.journal).toHaveLength(1);
    expect(steps(watched.events)).toEqual([
      ...['request-began', 'request-whole', 'held', 'forwarded', 'replied', 'dropped'],
    ]);
  });

  it('to nobody is refused before it could take effect', async () => {
    const server = await startMailServer();
    const watched = await watch(server.endpoint, decide(untouched));
    expect(await send(watched, { to: 'nobody@b.example' })).toBe('EENVELOPE');
    expect(wholes(watched.events).some(([, , mutating]) => mutating)).toBe(false);
    const statuses = watched.events.flatMap((event) =>
      event.type === 'replied' ? [event.status] : [],
    );
    // The sender is taken, the recipient refused, and with it DATA.
    expect(statuses).toEqual([200, 200, 422, 422]);
  });

  it('breaks for its sender where no server is', async () => {
    const nowhere = { protocol: 'smtp', host: '127.0.0.1', port: 1 } as const;
    const watched = await watch(nowhere, decide(untouched));
    const client = new RawClient(watched.endpoint);
    await client.closed();
    expect(client.text).toBe('');
    expect(watched.types()).toEqual([]);
  });
});

describe('a mail server behind TLS', () => {
  let pems: GenerateResult;
  beforeAll(async () => {
    pems = await generate([{ name: 'commonName', value: 'localhost' }], {
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
      ],
    });
  });

  it('is spoken to in plain words by the subject, and its messages are found', async () => {
    const server = await startMailServer({ pems, protocol: 'smtps' });
    const watched = await watch(server.endpoint, decide(untouched));
    expect(watched.endpoint).toMatchObject({ protocol: 'smtp', host: '127.0.0.1' });
    expect(await send(watched)).toBe('250 OK: queued as 1');
    expect(steps(watched.events)).toEqual([...passed, 'delivered']);
  });

  it('that is asked to start TLS on the way is passed on, and nothing more is found', async () => {
    const server = await startMailServer({ pems });
    const watched = await watch(server.endpoint, decide(untouched));
    expect(await send(watched, { caPem: pems.cert })).toBe('250 OK: queued as 1');
    expect(server.journal).toHaveLength(1);
    expect(wholes(watched.events).map(([method]) => method)).toEqual(['EHLO', 'STARTTLS']);
    expect(watched.types()).toContain('opaque-bytes');
  });
});
