/** Each documented rule of the service, asked by the service's own SDK. */
import { describe, expect, test } from 'vitest';
import { openNamespace, openSdk, urlOf } from './testing/loopback.ts';

const mail = {
  from: 'Shop <shop@sender.example>',
  to: ['customer@mail.example'],
  subject: 'On its way',
  text: 'Good day',
};
const dayMs = 24 * 60 * 60 * 1000;

async function open() {
  const namespace = await openNamespace();
  return { namespace, sdk: openSdk(namespace) };
}

describe('an idempotency key', () => {
  test('gives its repeat the id of the first, and sends nothing', async () => {
    const { namespace, sdk } = await open();
    const first = await sdk.emails.send(mail, { idempotencyKey: 'k' });
    const second = await sdk.emails.send(mail, { idempotencyKey: 'k' });
    expect(first.data).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(second.data).toEqual(first.data);
    expect(await namespace.effects()).toHaveLength(1);
  });

  test('missing, makes every request a mail of its own', async () => {
    const { namespace, sdk } = await open();
    await sdk.emails.send(mail);
    await sdk.emails.send(mail);
    expect(await namespace.effects()).toHaveLength(2);
  });

  test('with another payload is a 409, and sends nothing', async () => {
    const { namespace, sdk } = await open();
    await sdk.emails.send(mail, { idempotencyKey: 'k' });
    const other = await sdk.emails.send({ ...mail, text: 'Bye' }, { idempotencyKey: 'k' });
    expect(other.error).toMatchObject({ statusCode: 409, name: 'invalid_idempotent_request' });
    expect(await namespace.effects()).toHaveLength(1);
  });

  test('in flight is a 409, and answers once it is not', async () => {
    const { namespace, sdk } = await open();
    const held = namespace.hold();
    const first = sdk.emails.send(mail, { idempotencyKey: 'k' });
    await held.reached;
    const second = await sdk.emails.send(mail, { idempotencyKey: 'k' });
    expect(second.error).toMatchObject({ statusCode: 409, name: 'concurrent_idempotent_requests' });
    held.release();
    const { data } = await first;
    expect((await sdk.emails.send(mail, { idempotencyKey: 'k' })).data).toEqual(data);
    expect(await namespace.effects()).toHaveLength(1);
  });

  test.each([1, 256])('may have %i characters', async (length) => {
    const { sdk } = await open();
    const sent = await sdk.emails.send(mail, { idempotencyKey: 'k'.repeat(length) });
    expect(sent.error).toBeNull();
  });

  test.each([0, 257])('of %i characters is a 400', async (length) => {
    const { namespace, sdk } = await open();
    // The SDK leaves out an empty key by itself.
    const headers = { 'Idempotency-Key': 'k'.repeat(length) };
    const sent = await sdk.emails.send(mail, { headers });
    expect(sent.error).toMatchObject({ statusCode: 400, name: 'invalid_idempotency_key' });
    expect(await namespace.effects()).toEqual([]);
  });

  test('is remembered for a day from its first request on, whatever came since', async () => {
    const { namespace, sdk } = await open();
    const send = async () => (await sdk.emails.send(mail, { idempotencyKey: 'k' })).data?.id;
    const first = await send();
    namespace.setClock(dayMs / 2);
    expect(await send()).toBe(first);
    namespace.setClock(dayMs - 10_000);
    expect(await send()).toBe(first);
    namespace.setClock(dayMs);
    const again = await send();
    expect(again).not.toBe(first);
    expect(await send()).toBe(again);
    expect((await namespace.effects()).map(({ entityId }) => entityId)).toEqual([first, again]);
  });

  test('is free again where the service refused', async () => {
    const { namespace, sdk } = await open();
    namespace.arm({ kind: 'turned-down', forGood: false }, () => undefined);
    expect((await sdk.emails.send(mail, { idempotencyKey: 'k' })).error).not.toBeNull();
    const other = await sdk.emails.send({ ...mail, text: 'Bye' }, { idempotencyKey: 'k' });
    expect(other.error).toBeNull();
  });
});

describe('a mail', () => {
  test('can be read under its id, with its tags and without its headers', async () => {
    const { sdk } = await open();
    const tags = [{ name: 'effect-id', value: 'k' }];
    const headers = { 'X-Entity-Ref-ID': 'k' };
    const { data } = await sdk.emails.send({ ...mail, tags, headers });
    const read = await sdk.emails.get(data?.id ?? '');
    expect(read.data).toEqual({
      object: 'email',
      id: data?.id,
      message_id: expect.stringMatching(/^<.+>$/),
      ...mail,
      html: null,
      bcc: [],
      cc: [],
      reply_to: [],
      created_at: expect.stringMatching(/Z$/),
      last_event: 'sent',
      scheduled_at: null,
      tags,
    });
  });

  test('nobody sent is a 404', async () => {
    const { sdk } = await open();
    const read = await sdk.emails.get('37e4414c-5e25-4dbc-a071-43552a4bd53b');
    expect(read.error).toMatchObject({ statusCode: 404, name: 'not_found' });
  });

  test.each([
    [
      'a sender of a domain that is not verified',
      { from: 'a@other.example' },
      403,
      'validation_error',
    ],
    ['no subject', { subject: undefined }, 422, 'missing_required_field'],
    ['neither text nor html', { text: undefined }, 422, 'missing_required_field'],
    ['a recipient that is no address', { to: 'nobody' }, 422, 'validation_error'],
    ['51 recipients', { to: Array(51).fill('a@mail.example') }, 422, 'validation_error'],
    ['a tag with a blank', { tags: [{ name: 'a b', value: 'c' }] }, 422, 'validation_error'],
    ['a copy, which the stand-in does not do', { cc: 'a@mail.example' }, 422, 'validation_error'],
  ])('with %s is refused', async (_, wrong, statusCode, name) => {
    const { namespace, sdk } = await open();
    const sent = await sdk.emails.send({ ...mail, ...wrong } as typeof mail);
    expect(sent.error).toEqual({ statusCode, name, message: expect.any(String) });
    expect(await namespace.effects()).toEqual([]);
  });
});

describe('whoever asks', () => {
  test('with a key of nobody is a 401 where mail is sent, and a 400 elsewhere', async () => {
    const { endpoint } = await openNamespace();
    const sdk = openSdk({ endpoint, credentials: { apiKey: 're_nobody' } });
    expect((await sdk.emails.send(mail)).error).toMatchObject({ statusCode: 401 });
    expect((await sdk.emails.get('x')).error).toMatchObject({ statusCode: 400 });
  });

  test('without a key is a 401', async () => {
    const { endpoint } = await openNamespace();
    const answer = await fetch(`${urlOf(endpoint)}/emails`, { method: 'POST' });
    expect(await answer.json()).toMatchObject({ statusCode: 401, name: 'missing_api_key' });
  });

  test('for what is not there is a 404, and in another way a 405', async () => {
    const { sdk } = await open();
    expect((await sdk.emails.cancel('x')).error).toMatchObject({ statusCode: 404 });
    const changed = await sdk.emails.update({ id: 'x', scheduledAt: 'now' });
    expect(changed.error).toMatchObject({ statusCode: 405, name: 'method_not_allowed' });
  });

  test.each([
    ['too often', { kind: 'refused', status: 429 }, 429, 'rate_limit_exceeded'],
    ['with a key that is none any more', { kind: 'refused', status: 401 }, 401, 'validation_error'],
    ['beyond the quota', { kind: 'turned-down', forGood: false }, 429, 'daily_quota_exceeded'],
    ['for what can never be sent', { kind: 'turned-down', forGood: true }, 422, 'validation_error'],
  ] as const)('%s is refused once, and people never', async (_, fault, statusCode, name) => {
    const { namespace, sdk } = await open();
    const { endpoint, personCredentials } = namespace;
    let fired = 0;
    namespace.arm(fault, () => {
      fired += 1;
    });
    const person = openSdk({ endpoint, credentials: personCredentials });
    expect((await person.emails.send(mail)).error).toBeNull();
    const sent = await sdk.emails.send(mail);
    expect(sent.error).toMatchObject({ statusCode, name });
    expect(sent.headers?.['retry-after']).toBe(name === 'rate_limit_exceeded' ? '1' : undefined);
    expect((await sdk.emails.send(mail)).error).toBeNull();
    expect(fired).toBe(1);
    expect((await namespace.effects()).map(({ actor }) => actor)).toEqual(['person', 'subject']);
  });
});
