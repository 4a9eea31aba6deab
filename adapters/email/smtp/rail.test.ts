/** The documented rules of SMTP that matter after a crash, each with nodemailer talking to the rail. */
import { createTransport, type SendMailOptions } from 'nodemailer';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Handling, openWire } from '../../../harness/wire/wire.ts';
import type { JsonObject } from '../../target.ts';
import { perRecipient } from '../per-recipient.ts';
import type { SmtpRailNamespace } from './rail.ts';
import { openNamespace, openTarget, request } from './testing/open-rail.ts';

const call = { key: 'key-1', request, attempt: 1, markNoReturn: () => undefined };
const mail = { from: 'x@y.example', to: 'a@b.example', subject: 'hi', text: 'there' };

/** As anybody uses nodemailer. */
async function sendPlainly(
  { endpoint, credentials }: Pick<SmtpRailNamespace, 'endpoint' | 'credentials'>,
  options: SendMailOptions = mail,
) {
  const transport = createTransport({
    host: endpoint.host,
    port: endpoint.port,
    ignoreTLS: true,
    auth: credentials as { user: string; pass: string },
    socketTimeout: 300,
  });
  onTestFinished(() => transport.close());
  try {
    return { sent: await transport.sendMail(options) };
  } catch (error) {
    return { error: error as Error & Record<string, unknown> };
  }
}

/** The same server, behind a wire that does so to what could take effect. */
async function behindWire(namespace: SmtpRailNamespace, handling: Handling) {
  const wire = openWire({
    upstream: namespace.endpoint,
    decisions: {
      connection: () => 'accept',
      request: ({ mutating }) => (mutating ? handling : { upstream: 'forward', reply: 'deliver' }),
    },
    observe: () => undefined,
  });
  onTestFinished(() => wire.close());
  const { credentials } = namespace;
  return { wire, reached: { endpoint: await wire.listen(1), credentials } };
}

describe('a mail that is taken over', () => {
  test('stands in the journal as it arrived, whoever sent it, under the name the server gave it', async () => {
    const namespace = await openNamespace();
    const landed = await openTarget(namespace).apply(call);
    await openTarget({ ...namespace, credentials: namespace.personCredentials }).apply(call);
    const { operation: _operation, ...substance } = request;
    const [ours, theirs, ...others] = await namespace.effects();
    expect(ours).toMatchObject({
      entityId: 'entityId' in landed ? landed.entityId : '',
      stamp: 'key-1',
      actor: 'subject',
      subject: `${request.recipient}/${request.reference}`,
      substance,
    });
    expect(theirs).toMatchObject({ actor: 'person', stamp: 'key-1' });
    expect(theirs?.entityId).not.toBe(ours?.entityId);
    expect(others).toEqual([]);
  });

  test('arrives as it was asked for, dots, blanks, letters and all', async () => {
    const namespace = await openNamespace();
    const odd: JsonObject = {
      ...request,
      subject: 'Grüße 😀, "quoted" =?utf-8?Q?no?= and a tail'.repeat(3),
      text: ['.', '..', '.lead', ' blank ', 'From me', '', '\ttab', 'é'.repeat(900), '', 'x'].join(
        '\n',
      ),
    };
    expect(await openTarget(namespace).apply({ ...call, request: odd })).toMatchObject({
      kind: 'landed',
    });
    const { operation: _operation, ...substance } = odd;
    expect((await namespace.effects())[0]?.substance).toEqual(substance);
  });

  test('sent twice is there twice: a Message-ID is no key', async () => {
    const namespace = await openNamespace();
    const target = openTarget(namespace);
    await target.apply(call);
    await target.apply({ ...call, attempt: 2 });
    expect((await namespace.effects()).map(({ stamp }) => stamp)).toEqual(['key-1', 'key-1']);
  });

  test('has a Message-ID of nodemailer’s own where nobody names one', async () => {
    const namespace = await openNamespace();
    const { sent } = await sendPlainly(namespace);
    expect(sent?.messageId).toMatch(/^<[0-9a-f-]+@y\.example>$/);
    expect(await namespace.effects()).toMatchObject([{ stamp: null }]);
  });
});

describe('a mail whose reply to the final dot is lost', () => {
  test.each([
    ['a reset', 'reset', 'ESOCKET', 'connection'],
    ['an end', 'end', 'ECONNECTION', 'connection'],
    ['silence', 'withhold', 'ETIMEDOUT', 'timeout'],
  ] as const)(
    'to %s was delivered once, and nobody who sent it can tell',
    async (_, reply, code, cause) => {
      const namespace = await openNamespace();
      const { reached } = await behindWire(namespace, { upstream: 'forward', reply });
      const { error } = await sendPlainly(reached);
      expect([error?.code, error?.command]).toEqual([code, 'CONN']);
      expect(await namespace.effects()).toHaveLength(1);
      const target = openTarget(reached, { clientTimeoutMs: 400 });
      expect(await target.apply(call)).toMatchObject({ kind: 'unknown', cause });
      expect(await namespace.effects()).toHaveLength(2);
    },
  );

  test('looks to nodemailer like one that was lost before its dot', async () => {
    const namespace = await openNamespace();
    const { reached } = await behindWire(namespace, { upstream: 'discard', reply: 'reset' });
    const { error } = await sendPlainly(reached);
    expect([error?.code, error?.command]).toEqual(['ESOCKET', 'CONN']);
    expect(await openTarget(reached).apply(call)).toMatchObject({ kind: 'unknown' });
    expect(await namespace.effects()).toEqual([]);
  });

  test('may take effect when its sender is long gone', async () => {
    const namespace = await openNamespace();
    const { wire, reached } = await behindWire(namespace, { upstream: 'hold', reply: 'withhold' });
    const sent = openTarget(reached, { clientTimeoutMs: 400 }).apply(call);
    expect(await sent).toMatchObject({ kind: 'unknown', cause: 'timeout' });
    expect(await namespace.effects()).toEqual([]);
    wire.release();
    await expect.poll(() => namespace.effects()).toHaveLength(1);
  });
});

describe('a mail that is not taken over', () => {
  test.each([
    [false, 451, true],
    [true, 550, false],
  ])('is refused at its dot, for good: %s, and then no longer', async (forGood, code, mendable) => {
    const namespace = await openNamespace();
    const target = openTarget(namespace);
    let fired = 0;
    const arm = () => namespace.arm({ kind: 'turned-down', forGood }, () => (fired += 1));
    arm();
    const { error } = await sendPlainly(namespace);
    expect(error).toMatchObject({
      code: 'EMESSAGE',
      command: 'DATA',
      responseCode: code,
      permanent: forGood,
    });
    arm();
    expect(await target.apply(call)).toMatchObject({ kind: 'refused', mendable });
    expect(fired).toBe(2);
    expect(await namespace.effects()).toEqual([]);
    expect(await target.apply(call)).toMatchObject({ kind: 'landed' });
  });

  test.each([
    ['nobody', 550, false],
    ['busy', 450, true],
  ])(
    'since %s is no recipient here, is refused before its message',
    async (name, code, mendable) => {
      const namespace = await openNamespace();
      const recipient = `${name}@mail.example`;
      const { error } = await sendPlainly(namespace, { ...mail, to: recipient });
      expect(error).toMatchObject({ code: 'EENVELOPE', command: 'RCPT TO', responseCode: code });
      let marks = 0;
      const result = await openTarget(namespace).apply({
        ...call,
        request: { ...request, recipient },
        markNoReturn: () => {
          marks += 1;
        },
      });
      expect(result).toMatchObject({ kind: 'refused', mendable });
      expect(marks).toBe(0);
      expect(await namespace.effects()).toEqual([]);
    },
  );

  test('since nobody knows its sender, is refused, and a person can mend that', async () => {
    const namespace = await openNamespace();
    const credentials = { user: 'shop', pass: 'wrong' };
    const { error } = await sendPlainly({ ...namespace, credentials });
    expect(error).toMatchObject({ code: 'EAUTH', responseCode: 535 });
    const target = openTarget({ ...namespace, credentials });
    expect(await target.apply(call)).toMatchObject({ kind: 'refused', mendable: true });
  });

  test('since its body was cut before the dot, is no delivery', async () => {
    const namespace = await openNamespace();
    const { reached } = await behindWire(namespace, { upstream: 'half', reply: 'withhold' });
    const target = openTarget(reached, { clientTimeoutMs: 400 });
    const sent = target.apply(call);
    await expect.poll(() => namespace.idle()).toBe(false);
    expect(await sent).toMatchObject({ kind: 'unknown', cause: 'timeout' });
    await expect.poll(() => namespace.idle()).toBe(true);
    expect(await namespace.effects()).toEqual([]);
  });
});

describe('a message to several people, one of whom is refused', () => {
  test('is taken over for the others by one reply, which nodemailer calls sent', async () => {
    const namespace = await openNamespace();
    const to = ['a@b.example', 'nobody@b.example', 'c@b.example'];
    const { sent } = await sendPlainly(namespace, { ...mail, to });
    expect(sent).toMatchObject({
      accepted: ['a@b.example', 'c@b.example'],
      rejected: ['nobody@b.example'],
    });
    const effects = await namespace.effects();
    expect(effects.map(({ substance }) => substance.recipient)).toEqual(sent?.accepted);
    expect(new Set(effects.map(({ entityId }) => entityId)).size).toBe(2);
  });

  test('is a settlement for each of them where each is asked for on its own', async () => {
    const namespace = await openNamespace();
    const target = openTarget(namespace);
    const recipients = ['a@b.example', 'nobody@b.example', 'busy@b.example', 'c@b.example'];
    const { from, subject, text } = mail;
    const requests = perRecipient({ recipients, reference: 'r-1', from, subject, text });
    const keys = new Set(requests.map((each) => target.identify(each).subject));
    expect(keys.size).toBe(4);
    const settled = [];
    for (const [index, each] of requests.entries()) {
      settled.push(await target.apply({ ...call, key: `key-${index}`, request: each }));
    }
    expect(settled).toMatchObject([
      { kind: 'landed', stamp: 'key-0' },
      { kind: 'refused', mendable: false },
      { kind: 'refused', mendable: true },
      { kind: 'landed', stamp: 'key-3' },
    ]);
    const effects = await namespace.effects();
    expect(effects.map(({ substance }) => substance.recipient)).toEqual([
      recipients[0],
      recipients[3],
    ]);
  });
});
