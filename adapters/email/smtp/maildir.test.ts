/**
 * A second witness: the target against a mail server nobody here has written, with what lies in its
 * Maildir as the judge.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { EffectTarget, Endpoint, JsonObject } from '../../target.ts';
import { exampleRequests } from '../examples.ts';
import { referenceHeader, stampOf } from '../request.ts';
import { createTarget, perRecipient } from './target.ts';
import { type Opensmtpd, openOpensmtpd, whyNoOpensmtpd } from './testing/opensmtpd.ts';

const whyNot = whyNoOpensmtpd();
const title = `a Maildir of opensmtpd${whyNot === null ? '' : ` (skipped: ${whyNot})`}`;

describe.skipIf(whyNot !== null)(title, () => {
  let server: Opensmtpd;
  let seen = 0;
  let request: JsonObject;
  let seed = 0;

  beforeAll(async () => {
    server = await openOpensmtpd();
  }, 20_000);
  afterAll(() => server.close());
  beforeEach(() => {
    seed += 1;
    request = exampleRequests(seed).request;
  });

  /** The stamps of what came in since the last time this was asked. */
  const newStamps = async (count: number) => {
    const mails = await server.mails(seen + count);
    seen = mails.length;
    const parsed = await Promise.all(mails.map((bytes) => simpleParser(bytes)));
    const ours = parsed.filter(
      (mail) => mail.headers.get(referenceHeader.toLowerCase()) === request.reference,
    );
    return ours.map(({ messageId }) => stampOf(messageId)).sort();
  };

  test('holds what the target sent, as it was asked for', async () => {
    const marks: number[] = [];
    const result = await open(server.endpoint).apply({
      key: 'k-1',
      request,
      attempt: 1,
      markNoReturn: () => marks.push(1),
    });
    expect(result).toEqual({
      kind: 'landed',
      entityId: expect.stringMatching(/^[0-9a-f]{8}$/),
      stamp: 'k-1',
    });
    expect(marks).toEqual([1]);
    seen += 1;
    const [bytes] = await server.mails(seen);
    const mail = await simpleParser(bytes ?? '');
    expect(stampOf(mail.messageId)).toBe('k-1');
    expect(mail.headers.get(referenceHeader.toLowerCase())).toBe(request.reference);
    expect(mail.subject).toBe(request.subject);
    expect(mail.text?.trimEnd()).toBe(request.text);
    expect(mail.headers.get('delivered-to')).toMatchObject({ text: request.recipient });
  });

  test('holds a mail whose reply was lost, and the target says it does not know', async () => {
    const lossy = await relay(server.endpoint, { cutAtReply: /^250 .*accepted for delivery/m });
    const result = await open(lossy).apply({ key: 'k-lost', request, attempt: 1 });
    expect(result).toMatchObject({ kind: 'unknown', cause: 'connection' });
    expect(await newStamps(1)).toEqual(['k-lost']);
  });

  test('holds nothing of a mail that broke off before its dot, and no mark was made', async () => {
    const lossy = await relay(server.endpoint, { cutAtReply: /^354 /m });
    const marks: number[] = [];
    const target = open(lossy);
    const markNoReturn = () => marks.push(1);
    const result = await target.apply({ key: 'k-cut', request, attempt: 1, markNoReturn });
    expect(result).toMatchObject({ kind: 'unknown' });
    expect(marks).toEqual([]);
    await open(server.endpoint).apply({ key: 'k-after', request, attempt: 2 });
    expect(await newStamps(1)).toEqual(['k-after']);
  });

  test('holds two mails of one Message-ID: nothing there is sent once because of it', async () => {
    const target = open(server.endpoint);
    await target.apply({ key: 'k-twice', request, attempt: 1 });
    await target.apply({ key: 'k-twice', request, attempt: 2 });
    expect(await newStamps(2)).toEqual(['k-twice', 'k-twice']);
  });

  test('holds one of two mails where one recipient was refused, and each ends by itself', async () => {
    const { from, subject, text, reference, recipient } = request;
    const requests = perRecipient({
      recipients: [String(recipient), 'stranger@elsewhere.example'],
      reference: String(reference),
      from: String(from),
      subject: String(subject),
      text: String(text),
    });
    const target = open(server.endpoint);
    const results = await Promise.all(
      requests.map((one, index) =>
        target.apply({ key: `k-of-${index}`, request: one, attempt: 1 }),
      ),
    );
    expect(results).toMatchObject([
      { kind: 'landed', stamp: 'k-of-0' },
      { kind: 'refused', mendable: false, reason: expect.stringContaining('550') },
    ]);
    expect(await newStamps(1)).toEqual(['k-of-0']);
  });
});

function open(endpoint: Endpoint): EffectTarget {
  const target = createTarget({
    endpoint,
    credentials: {},
    options: { clientTimeoutMs: 5_000, requireTls: false },
    now: Date.now,
  });
  onTestFinished(() => target.close?.());
  return target;
}

/** Hands everything on, until the server says this: both sides are cut, and the words are lost. */
async function relay(
  { port, host, ...endpoint }: Endpoint,
  { cutAtReply }: { readonly cutAtReply: RegExp },
): Promise<Endpoint> {
  const sockets = new Set<Socket>();
  const follow = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
  };
  const proxy = createServer((client) => {
    const upstream = connect(port, host);
    follow(client);
    follow(upstream);
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      if (!cutAtReply.test(chunk.toString('latin1'))) {
        client.write(chunk);
        return;
      }
      client.destroy();
      upstream.destroy();
    });
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, host, resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  });
  return { ...endpoint, host, port: (proxy.address() as AddressInfo).port };
}
