import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { EffectTarget, JsonObject, QueryResult } from '../target.ts';
import type { StripeRailNamespace } from './rail.ts';
import {
  httpReply,
  openNamespace,
  openRawServer,
  openSdk,
  openTarget,
} from './testing/loopback.ts';

const refund: JsonObject = {
  operation: 'refund',
  paymentIntent: 'pi_1',
  amountMinor: 2000,
  currency: 'usd',
};

const lookup = { variant: 'lookup', pageSize: 3 };

function query(target: EffectTarget, request: JsonObject, key = 'ours'): Promise<QueryResult> {
  if (target.query === undefined) throw new Error('expected a target that can be asked');
  return target.query({ key, request });
}

async function openAccount(options: JsonObject = { ignoreKeys: true }) {
  const namespace = await openNamespace(options);
  const { request } = namespace.examples(1);
  return { namespace, request, target: openTarget(namespace, lookup) };
}

/** Refunds of the same payment and amount that carry no stamp. */
async function refundByHand(namespace: StripeRailNamespace, request: JsonObject, times: number) {
  const person = openSdk(namespace, namespace.personCredentials);
  for (let made = 0; made < times; made += 1) {
    await person.refunds.create({
      payment_intent: String(request.paymentIntent),
      amount: Number(request.amountMinor),
    });
  }
}

function pagesRead(namespace: StripeRailNamespace): number {
  return namespace.requests().filter(({ method, actor }) => method === 'GET' && actor === 'subject')
    .length;
}

describe('the refunds of a payment', () => {
  test('are read to the last page, one request each, and ours is known by its stamp', async () => {
    const { namespace, request, target } = await openAccount();
    await refundByHand(namespace, request, 2);
    const made = await target.apply({ key: 'ours', request, attempt: 1 });
    await refundByHand(namespace, request, 4);
    const entityId = made.kind === 'landed' ? made.entityId : '';
    expect(await query(target, request)).toEqual({ kind: 'found', entityId });
    expect(pagesRead(namespace)).toBe(3);
  });

  test('are absent only after the last page', async () => {
    const { namespace, request, target } = await openAccount();
    await refundByHand(namespace, request, 7);
    expect(await query(target, request)).toEqual({ kind: 'absent', complete: true });
    expect(pagesRead(namespace)).toBe(3);
  });

  test('that carry another stamp are not ours', async () => {
    const { request, target } = await openAccount();
    await target.apply({ key: 'theirs', request, attempt: 1 });
    expect(await query(target, request)).toEqual({ kind: 'absent', complete: true });
  });

  test('two with our stamp are many', async () => {
    const { namespace, request, target } = await openAccount();
    await target.apply({ key: 'ours', request, attempt: 1 });
    await target.apply({ key: 'ours', request, attempt: 2 });
    const entityIds = (await namespace.effects()).map(({ entityId }) => entityId).reverse();
    expect(await query(target, request)).toEqual({ kind: 'many', entityIds });
  });

  test('of another payment are not read', async () => {
    const { namespace, request, target } = await openAccount();
    await target.apply({ key: 'ours', request: namespace.examples(2).request, attempt: 1 });
    expect(await query(target, request)).toEqual({ kind: 'absent', complete: true });
  });

  test('could not be told with no request when the request is none', async () => {
    const { namespace, target } = await openAccount();
    expect(await query(target, { operation: 'refund' })).toMatchObject({ kind: 'could-not-tell' });
    expect(pagesRead(namespace)).toBe(0);
  });
});

const row = (id: string, key = 'theirs', payment = 'pi_1') => ({
  id,
  object: 'refund',
  payment_intent: payment,
  metadata: { decision_key: key },
});
const page = (rows: readonly object[], more: boolean) =>
  httpReply(200, JSON.stringify({ object: 'list', has_more: more, data: rows }));
const said = (type: string) => JSON.stringify({ error: { type, message: 'no' } });

/** Answers each request with the next of these, the last one again and again. */
async function queryRaw(replies: readonly ((socket: Socket) => void)[], timeoutMs = 5_000) {
  let count = 0;
  const server = await openRawServer((socket) => {
    const reply = replies[Math.min(count, replies.length - 1)];
    count += 1;
    reply?.(socket);
  });
  const target = openTarget(server, { ...lookup, clientTimeoutMs: timeoutMs });
  return { result: await query(target, refund), requests: server.requests };
}
const reply = (text: string) => (socket: Socket) => socket.end(text);

describe('what could not be told', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['a 401', reply(httpReply(401, said('invalid_request_error')))],
    ['a 404', reply(httpReply(404, said('invalid_request_error')))],
    ['a 429', reply(httpReply(429, said('invalid_request_error')))],
    ['a 500', reply(httpReply(500, said('api_error')))],
    ['a 503 with a page of HTML', reply(httpReply(503, '<html>'))],
    ['a 200 with a page of HTML', reply(httpReply(200, '<html>'))],
    ['a list under another status', reply(page([], false).replace('200', '203'))],
    ['a refund instead of a list', reply(httpReply(200, JSON.stringify(row('re_1', 'ours'))))],
    [
      'a list that does not say whether more follows',
      reply(httpReply(200, '{"object":"list","data":[]}')),
    ],
    ['a row that is no refund', reply(page([{ id: 'ch_1', object: 'charge' }], false))],
    ['a refund of another payment', reply(page([row('re_1', 'ours', 'pi_2')], false))],
    ['an empty page that claims more', reply(page([], true))],
    ['a body cut short', (socket) => socket.end(page([row('re_1', 'ours')], false).slice(0, -9))],
    ['a reset', (socket) => socket.resetAndDestroy()],
  ])('%s, on the first page and on a later one', async (_, broken) => {
    const first = await queryRaw([broken]);
    expect(first.result).toMatchObject({ kind: 'could-not-tell' });
    expect(first.requests).toHaveLength(1);
    const later = await queryRaw([reply(page([row('re_2', 'ours')], true)), broken]);
    expect(later.result).toMatchObject({ kind: 'could-not-tell' });
    expect(later.requests).toHaveLength(2);
  });

  test('silence', async () => {
    const { result, requests } = await queryRaw([() => undefined], 60);
    expect(result).toMatchObject({
      kind: 'could-not-tell',
      detail: expect.stringMatching(/60 ms/),
    });
    expect(requests).toHaveLength(1);
  });

  test('a cursor that does not advance', async () => {
    const { result, requests } = await queryRaw([
      reply(page([row('re_2'), row('re_1')], true)),
      reply(page([row('re_3'), row('re_1')], true)),
    ]);
    expect(result).toMatchObject({ kind: 'could-not-tell' });
    expect(requests).toHaveLength(2);
  });

  test('a list that never ends, after a bounded number of pages', async () => {
    let made = 0;
    const { result, requests } = await queryRaw([
      (socket) => {
        made += 1;
        socket.end(page([row(`re_${made}`)], true));
      },
    ]);
    expect(result).toMatchObject({ kind: 'could-not-tell' });
    expect(requests).toHaveLength(100);
  });

  test('does not hold the key, even when a server echoes it', async () => {
    const echo = JSON.stringify({ error: { type: 'api_error', message: 'sk_test_raw' } });
    const { result } = await queryRaw([reply(httpReply(401, echo))]);
    expect(JSON.stringify(result)).toMatch(/\[key\]/);
    expect(JSON.stringify(result)).not.toContain('sk_test_raw');
  });
});

test('a refund that comes on two pages is one refund', async () => {
  const { result, requests } = await queryRaw([
    reply(page([row('re_2', 'ours'), row('re_1')], true)),
    reply(page([row('re_2', 'ours'), row('re_0')], false)),
  ]);
  expect(result).toEqual({ kind: 'found', entityId: 're_2' });
  expect(requests[1]).toContain('starting_after=re_1');
});
