import { describe, expect, test } from 'vitest';
import { httpReply, openAnsweringServer, openRawServer } from '../../ledgered/testing/loopback.ts';
import type { JsonObject } from '../../target.ts';
import { exampleRequests } from '../examples.ts';
import { openNamespace, openTarget } from './testing/loopback.ts';

const { request } = exampleRequests(1);
const credentials = { apiKey: 're_s3cret' };

describe('apply', () => {
  test('sends one mail under the key, reads it back, and believes our stamp', async () => {
    const namespace = await openNamespace();
    const result = await openTarget(namespace).apply({ key: 'k-1', request, attempt: 1 });
    const { recipient, reference, from, subject, text } = request;
    const effects = await namespace.effects();
    expect(effects).toEqual([
      {
        entityId: expect.any(String),
        stamp: 'k-1',
        actor: 'subject',
        subject: `${recipient}/${reference}`,
        substance: { recipient, reference, from, subject, text },
        atMs: expect.any(Number),
      },
    ]);
    expect(result).toEqual({ kind: 'landed', entityId: effects[0]?.entityId, stamp: 'k-1' });
    const seen = namespace.requests();
    expect(seen.map(({ method, path, key }) => [method, path, key])).toEqual([
      ['POST', '/emails', 'k-1'],
      ['GET', `/emails/${effects[0]?.entityId}`, null],
    ]);
    expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({
      to: [recipient],
      headers: { 'X-Entity-Ref-ID': 'k-1', 'X-Reference': reference },
      tags: [{ name: 'effect-id', value: 'k-1' }],
    });
  });

  test.each(['a/b é', 'under_score', '%41', 'k'.repeat(256)])('finds %j in a tag', async (key) => {
    const namespace = await openNamespace();
    const result = await openTarget(namespace).apply({ key, request, attempt: 1 });
    expect(result).toMatchObject({ kind: 'landed', stamp: key });
    const [effect] = await namespace.effects();
    expect(effect?.stamp).toBe(key);
  });

  test('sends the same text, byte for byte, under the same key', async () => {
    const namespace = await openNamespace();
    const target = openTarget(namespace);
    const [one, two] = [
      await target.apply({ key: 'k', request, attempt: 1 }),
      await target.apply({ key: 'k', request, attempt: 2 }),
    ];
    expect(two).toEqual(one);
    const bodies = namespace.requests().filter(({ method }) => method === 'POST');
    expect(bodies[0]?.body).toBe(bodies[1]?.body);
  });

  test.each<[string, string, JsonObject]>([
    ['an empty key', '', request],
    ['a key of 257 characters', 'k'.repeat(257), request],
    ['a key that is too long as it is written', 'ä'.repeat(43), request],
    ['a mail without a subject', 'k', { ...request, subject: '' }],
  ])('%s is refused with nothing sent', async (_, key, invalid) => {
    const { endpoint, received } = await openRawServer((socket) => socket.destroy());
    const target = openTarget({ endpoint, credentials });
    expect(await target.apply({ key, request: invalid, attempt: 1 })).toMatchObject({
      kind: 'refused',
      mendable: false,
      reason: expect.stringMatching(/^Nothing was sent/),
    });
    expect(received).toEqual([]);
  });

  const said = (statusCode: number, name: string) =>
    httpReply(statusCode, { statusCode, name, message: 'no, re_s3cret' });
  const unreadable = { kind: 'unknown', cause: 'unreadable' };
  test.each<[string, string, JsonObject]>([
    ['a 401', said(401, 'validation_error'), { kind: 'refused', mendable: true }],
    ['a 403', said(403, 'validation_error'), { kind: 'refused', mendable: true }],
    ['a 429', said(429, 'daily_quota_exceeded'), { kind: 'refused', mendable: true }],
    ['a 400', said(400, 'validation_error'), { kind: 'refused', mendable: false }],
    ['a 422', said(422, 'missing_required_field'), { kind: 'refused', mendable: false }],
    [
      'a key of another mail',
      said(409, 'invalid_idempotent_request'),
      { kind: 'refused', mendable: false, reason: expect.stringContaining('the first may have') },
    ],
    [
      'a key in flight',
      said(409, 'concurrent_idempotent_requests'),
      { kind: 'unknown', cause: 'in-flight' },
    ],
    ['another 409', said(409, 'resource_locked'), { kind: 'unknown', cause: 'server-error' }],
    ['a 500', said(500, 'application_error'), { kind: 'unknown', cause: 'server-error' }],
    ["a gateway's 403", httpReply(403, '<html>'), unreadable],
    ["a gateway's 403 in JSON", httpReply(403, { message: 'Forbidden' }), unreadable],
    ["a gateway's 503", httpReply(503, '<html>'), { kind: 'unknown', cause: 'server-error' }],
    ['a 202 instead of 200', httpReply(202, { id: 'e' }), unreadable],
    ['a 200 without an id', httpReply(200, {}), unreadable],
    ['a 200 cut short', httpReply(200, { id: 'e' }).slice(0, -3), { kind: 'unknown' }],
    ['no HTTP', '220 ready\r\n', unreadable],
    ['a close', '', { kind: 'unknown', cause: 'connection' }],
  ])('%s to what is sent', async (_, reply, expected) => {
    const { endpoint, received } = await openAnsweringServer(reply);
    const target = openTarget({ endpoint, credentials });
    const result = await target.apply({ key: 'k', request, attempt: 1 });
    expect(result).toMatchObject(expected);
    expect(JSON.stringify(result)).not.toContain('re_s3cret');
    expect(received).toHaveLength(1);
    expect(received[0]).toMatch(/connection: close/i);
  });

  const ours = { name: 'effect-id', value: 'k' };
  const shown = (body: JsonObject) => httpReply(200, { id: 'e', tags: [ours], ...body });
  const accepted = { kind: 'unknown', detail: expect.stringContaining('accepted as e') };
  test.each<[string, string, JsonObject]>([
    ['our tag', shown({}), { kind: 'landed', entityId: 'e', stamp: 'k' }],
    ["another's", shown({ tags: [{ ...ours, value: 'x' }] }), { kind: 'landed', stamp: 'x' }],
    ['no tags', shown({ tags: [] }), { kind: 'landed', stamp: null }],
    ['nothing of tags', httpReply(200, { id: 'e' }), { kind: 'landed', stamp: null }],
    ['a tag nobody wrote', shown({ tags: [{ ...ours, value: '_zz' }] }), { stamp: null }],
    ['our tag twice', shown({ tags: [ours, ours] }), { kind: 'landed', stamp: null }],
    ['another id', shown({ id: 'x' }), accepted],
    ['a 404', said(404, 'not_found'), accepted],
    ['a 401 for a key that only sends', said(401, 'restricted_api_key'), accepted],
    ['a 503', httpReply(503, '<html>'), { kind: 'unknown', cause: 'server-error' }],
    ['a close', '', { kind: 'unknown', cause: 'connection' }],
  ])('%s under the id that came back', async (_, reply, expected) => {
    const server = await openAnsweringServer(httpReply(200, { id: 'e' }), reply);
    const target = openTarget({ endpoint: server.endpoint, credentials });
    const result = await target.apply({ key: 'k', request, attempt: 1 });
    expect(result).toMatchObject(expected);
    expect(JSON.stringify(result)).not.toContain('re_s3cret');
    expect(server.received.map((text) => text.split(' HTTP')[0])).toEqual([
      'POST /emails',
      'GET /emails/e',
    ]);
  });

  test('one deadline covers the mail that is sent and the reading of it', async () => {
    const { endpoint, received } = await openRawServer((socket, text) => {
      if (text.startsWith('POST')) setTimeout(() => socket.end(httpReply(200, { id: 'e' })), 300);
    });
    const target = openTarget({ endpoint, credentials }, { clientTimeoutMs: 500 });
    const began = performance.now();
    expect(await target.apply({ key: 'k', request, attempt: 1 })).toMatchObject({
      kind: 'unknown',
      cause: 'timeout',
    });
    expect(performance.now() - began).toBeLessThan(780);
    expect(received).toHaveLength(2);
  });

  test('close ends what is under way', async () => {
    const { endpoint } = await openRawServer(() => {
      void target.close?.();
    });
    const target = openTarget({ endpoint, credentials });
    expect(await target.apply({ key: 'k', request, attempt: 1 })).toMatchObject({
      kind: 'unknown',
      cause: 'connection',
    });
  });
});
