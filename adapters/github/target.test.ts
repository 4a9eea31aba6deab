/** The target and the stand-in, each as it is: what the README says of the two together. */

import { setTimeout as sleep } from 'node:timers/promises';
import { Octokit } from '@octokit/core';
import { retry } from '@octokit/plugin-retry';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject, QueryResult } from '../target.ts';
import { createRail } from './rail.ts';
import { createTarget } from './target.ts';

type Operation = 'merge' | 'comment';

async function open(operation: Operation, options: JsonObject = {}, lagMs = 0) {
  const rail = await createRail({ options: { operation, lagMs } });
  onTestFinished(() => rail.close());
  const namespace = await rail.openNamespace('test');
  const asWhom = (credentials: JsonObject) => {
    const target = createTarget({
      endpoint: namespace.endpoint,
      credentials,
      options: { operation, clientTimeoutMs: 5_000, lagMs, ...options },
      now: Date.now,
    });
    onTestFinished(() => target.close?.());
    return target;
  };
  const target = asWhom(namespace.credentials);
  const person = asWhom(namespace.personCredentials);
  const { request } = namespace.examples(1);
  const apply = (key = 'ours', asked = request, attempt = 1) =>
    target.apply({ key, request: asked, attempt });
  const query = async (key = 'ours', asked = request): Promise<QueryResult | undefined> =>
    target.query?.({ key, request: asked });
  const mutating = () =>
    namespace.requests().filter(({ method, actor }) => method !== 'GET' && actor === 'subject');
  return { namespace, target, person, request, apply, query, mutating };
}

const ignore = () => undefined;

describe('a merge', () => {
  test.each(['merge', 'squash'])(
    'by %s is in the repository, and found by its trailer',
    async (method) => {
      const { namespace, request, apply, query, mutating } = await open('merge');
      const asked = { ...request, method };
      const result = await apply('ours', asked);
      const [effect, ...others] = await namespace.effects();
      expect(others).toEqual([]);
      expect(effect).toMatchObject({
        stamp: 'ours',
        actor: 'subject',
        substance: { sha: request.sha, method },
      });
      expect(result).toEqual({ kind: 'landed', entityId: effect?.entityId, stamp: 'ours' });
      expect(await query('ours', asked)).toEqual({ kind: 'found', entityId: effect?.entityId });
      expect(await query('another', asked)).toEqual({ kind: 'absent', complete: true });
      expect(mutating()).toHaveLength(1);
    },
  );

  test('sent again under its key is the one that is there', async () => {
    const { namespace, apply } = await open('merge');
    const first = await apply();
    expect(await apply('ours', undefined, 2)).toEqual(first);
    expect(await namespace.effects()).toHaveLength(1);
  });

  test('of a head that was pushed to is refused, and nothing that was not reviewed is merged', async () => {
    const { namespace, request, apply } = await open('merge');
    await namespace.world('premise-changed', request);
    expect(await apply()).toMatchObject({
      kind: 'refused',
      mendable: true,
      reason: expect.stringMatching(/^409: Head branch was modified/),
    });
    expect(await namespace.effects()).toEqual([]);
  });

  test('goes on when the reviewed head is back', async () => {
    const { namespace, request, apply } = await open('merge');
    await namespace.world('premise-changed-and-back', request);
    expect(await apply()).toMatchObject({ kind: 'landed' });
  });

  test('by somebody else is not ours, and is said so', async () => {
    const { person, request, apply, query } = await open('merge');
    await person.apply({ key: 'theirs', request, attempt: 1 });
    expect(await apply()).toMatchObject({
      kind: 'refused',
      mendable: false,
      reason: expect.stringMatching(/^merged by someone else, not ours \(person-/),
    });
    expect(await query()).toEqual({ kind: 'absent', complete: true });
  });

  test('that conflicts, and one that is a draft, are refused until a person has mended them', async () => {
    const { namespace, request, apply, query } = await open('merge');
    const { distinct } = namespace.examples(1);
    await apply('first', distinct);
    for (const pullNumber of [4, 5]) {
      const asked = { ...request, pullNumber, sha: await headOf(namespace, pullNumber) };
      expect(await apply('ours', asked)).toMatchObject({ kind: 'refused', mendable: true });
      expect(await query('ours', asked)).toMatchObject({ kind: 'absent' });
    }
  });

  test('that landed and was answered 502 is unknown, and found, although its branch was left', async () => {
    const { namespace, apply, query } = await open('merge');
    namespace.arm({ kind: 'half-done' }, ignore);
    expect(await apply()).toMatchObject({ kind: 'unknown', cause: 'server-error' });
    expect(await query()).toMatchObject({ kind: 'found' });
    expect(namespace.webhooks()).toEqual([]);
    expect(await apply('ours', undefined, 2)).toMatchObject({ kind: 'landed', stamp: 'ours' });
  });

  test.each([
    [false, true],
    [true, false],
  ])(
    'that GitHub turns down (for good: %s) is refused, liftable: %s',
    async (forGood, mendable) => {
      const { namespace, apply } = await open('merge');
      namespace.arm({ kind: 'turned-down', forGood }, ignore);
      expect(await apply()).toMatchObject({ kind: 'refused', mendable });
      expect(await namespace.effects()).toEqual([]);
    },
  );

  test.each([
    ['primary', 403],
    ['primary', 429],
    ['secondary', 403],
    ['secondary', 429],
  ] as const)('beyond the %s limit (%i) is refused until later', async (limit, status) => {
    const { namespace, apply } = await open('merge');
    namespace.arm({ kind: 'limited', limit, status, retryAfterS: null }, ignore);
    expect(await apply()).toMatchObject({ kind: 'refused', mendable: true });
  });

  test('that is still under way is unknown to whoever asks again', async () => {
    const { namespace, apply } = await open('merge');
    const held = namespace.hold();
    const first = apply();
    await held.reached;
    const second = apply('ours', undefined, 2);
    held.release();
    const results = [await first, await second];
    expect(results.some(({ kind }) => kind === 'landed')).toBe(true);
    expect(results.every(({ kind }) => kind !== 'refused')).toBe(true);
    expect(await namespace.effects()).toHaveLength(1);
  });

  test('is not seen by a look that is stale, and is seen after the lag', async () => {
    const { namespace, apply, query } = await open('merge', {}, 200);
    await apply();
    namespace.arm({ kind: 'stale-read' }, ignore);
    expect(await query()).toMatchObject({ kind: 'absent' });
    await sleep(250);
    expect(await query()).toMatchObject({ kind: 'found' });
  });
});

describe('a comment', () => {
  test('is on the issue with a hidden line, and found by it among equal ones', async () => {
    const { namespace, person, request, apply, query } = await open('comment', { pageSize: 3 });
    for (let count = 0; count < 7; count += 1) {
      await person.apply({ key: `theirs ${count}`, request, attempt: 1 });
    }
    const result = await apply();
    const effect = (await namespace.effects()).at(-1);
    expect(effect).toMatchObject({
      stamp: 'ours',
      actor: 'subject',
      substance: { body: request.body },
    });
    expect(result).toEqual({ kind: 'landed', entityId: effect?.entityId, stamp: 'ours' });
    expect(await query()).toEqual({ kind: 'found', entityId: effect?.entityId });
    expect(await query('nobody’s')).toEqual({ kind: 'absent', complete: true });
  });

  test('sent twice is there twice, and both are told', async () => {
    const { apply, query } = await open('comment');
    await apply();
    await apply('ours', undefined, 2);
    expect(await query()).toMatchObject({
      kind: 'many',
      entityIds: [expect.any(String), expect.any(String)],
    });
  });

  test('that a stale list lacks could not be told', async () => {
    const { namespace, apply, query } = await open('comment', {}, 200);
    await apply();
    namespace.arm({ kind: 'stale-read' }, ignore);
    expect(await query()).toMatchObject({
      kind: 'could-not-tell',
      detail: expect.stringMatching(/counts 1 comments, the list has 0/),
    });
    await sleep(250);
    expect(await query()).toMatchObject({ kind: 'found' });
  });

  test.each([
    [false, true],
    [true, false],
  ])(
    'that GitHub turns down (for good: %s) is refused, liftable: %s',
    async (forGood, mendable) => {
      const { namespace, apply } = await open('comment');
      namespace.arm({ kind: 'turned-down', forGood }, ignore);
      expect(await apply()).toMatchObject({ kind: 'refused', mendable });
      expect(await namespace.effects()).toEqual([]);
    },
  );

  test('with a 502 is one request, where the client with the retry plugin makes more comments', async () => {
    const { namespace, apply, mutating } = await open('comment');
    namespace.arm({ kind: 'half-done' }, ignore);
    expect(await apply()).toMatchObject({ kind: 'unknown', cause: 'server-error' });
    expect(mutating()).toHaveLength(1);
    expect(await namespace.effects()).toHaveLength(1);

    const { endpoint, credentials } = namespace;
    const Retrying = Octokit.plugin(retry);
    const usual = new Retrying({
      auth: String(credentials.token),
      baseUrl: `http://${endpoint.host}:${endpoint.port}`,
      retry: { retryAfterBaseValue: 1 },
    });
    namespace.arm({ kind: 'half-done' }, ignore);
    const [owner = '', repo = ''] = String(credentials.repository).split('/');
    await usual.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      owner,
      repo,
      issue_number: 6,
      body: 'x',
    });
    expect(mutating()).toHaveLength(3);
    expect(await namespace.effects()).toHaveLength(3);
  });
});

async function headOf(
  { endpoint, credentials }: Awaited<ReturnType<typeof open>>['namespace'],
  pull_number: number,
): Promise<string> {
  const octokit = new Octokit({
    auth: String(credentials.token),
    baseUrl: `http://${endpoint.host}:${endpoint.port}`,
  });
  const [owner = '', repo = ''] = String(credentials.repository).split('/');
  const { data } = await octokit.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
    owner,
    repo,
    pull_number,
  });
  return data.head.sha;
}
