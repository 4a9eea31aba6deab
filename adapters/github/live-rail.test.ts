import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Rail, RailConfig, RailNamespace } from '../rail.ts';
import type { EffectTarget, JsonObject } from '../target.ts';
import { createRail } from './live-rail.ts';
import { createTarget } from './target.ts';
import { openSecureGitHub, type SecureGitHub } from './testing/secure-github.ts';

type Operation = 'merge' | 'comment';

async function openGitHub(operation: Operation): Promise<SecureGitHub> {
  const github = await openSecureGitHub(operation);
  onTestFinished(() => github.close());
  return github;
}

async function openRail(
  operation: Operation,
  environment: NonNullable<RailConfig['environment']>,
): Promise<Rail> {
  const rail = await createRail({ options: { operation }, environment });
  onTestFinished(() => rail.close());
  return rail;
}

function openTarget(
  { endpoint }: Pick<RailNamespace, 'endpoint'>,
  credentials: JsonObject,
  operation: Operation,
): EffectTarget {
  const options = { operation, clientTimeoutMs: 5_000, lagMs: 0 };
  const target = createTarget({ endpoint, credentials, options, now: Date.now });
  onTestFinished(() => target.close?.());
  return target;
}

const operations = ['merge', 'comment'] as const;

describe.each(operations)('a namespace for a %s', (operation) => {
  test('has a journal that knows people by their label where there is one token', async () => {
    const github = await openGitHub(operation);
    const namespace = await (await openRail(operation, github.environment)).openNamespace('t');
    expect(namespace.personCredentials).toBeUndefined();
    const target = openTarget(namespace, namespace.credentials, operation);
    const { request, distinct, lookAlike } = namespace.examples(1);
    const call = (key: string, asked: JsonObject) => ({ key, request: asked, attempt: 1 });
    expect(await namespace.effects()).toEqual([]);
    expect(await target.apply(call('control-77', lookAlike))).toMatchObject({ kind: 'landed' });
    await namespace.world?.('done-by-hand', distinct);
    expect(await target.apply(call('ours', request))).toMatchObject({ kind: 'landed' });
    const effects = await namespace.effects();
    expect(new Map(effects.map(({ stamp, actor }) => [stamp, actor]))).toEqual(
      new Map([
        ['control-77', 'person'],
        [null, 'person'],
        ['ours', 'subject'],
      ]),
    );
    const ours = effects.find(({ stamp }) => stamp === 'ours');
    const { sha, method, body } = request;
    expect(ours?.substance).toEqual(operation === 'merge' ? { sha, method } : { body });
    expect(await target.query?.({ key: 'ours', request })).toEqual({
      kind: 'found',
      entityId: ours?.entityId,
    });
  });

  test('knows people by their login where they have a token of their own', async () => {
    const github = await openGitHub(operation);
    const { environment, tokens } = github;
    const both = { ...environment, KILLPOINT_GITHUB_PERSON_TOKEN: tokens.person };
    const namespace = await (await openRail(operation, both)).openNamespace('t');
    const { request, lookAlike } = namespace.examples(1);
    const person = openTarget(namespace, namespace.personCredentials ?? {}, operation);
    const subject = openTarget(namespace, namespace.credentials, operation);
    await person.apply({ key: 'control-77', request: lookAlike, attempt: 1 });
    // A second one that bears the harness's mark, and is not the harness's.
    await subject.apply({ key: 'control-78', request, attempt: 1 });
    const effects = await namespace.effects();
    expect(new Map(effects.map(({ stamp, actor }) => [stamp, actor]))).toEqual(
      new Map([
        ['control-77', 'person'],
        ['control-78', 'subject'],
      ]),
    );
  });

  test('changes as people change it, and is cleaned up', async () => {
    const github = await openGitHub(operation);
    const namespace = await (await openRail(operation, github.environment)).openNamespace('t');
    const target = openTarget(namespace, namespace.credentials, operation);
    const { request } = namespace.examples(1);
    const premises = await target.capture(request);
    const check = async () => (await target.validate(request, premises, 'ours')).kind;
    expect(await check()).toBe('hold');
    await namespace.world?.('premise-changed', request);
    expect(await check()).toBe('stale');
    await expect(namespace.world?.('undone-by-hand', request)).rejects.toThrow(/expected one of/);
    expect(await namespace.idle?.()).toBe(true);
    await namespace.close?.();
    const removed = github.came.filter((asked) => /^(?:PATCH|DELETE) /.test(asked));
    expect(removed.length).toBeGreaterThanOrEqual(operation === 'merge' ? 7 : 1);
  });

  test('is refused another repository before a connection is opened', async () => {
    const github = await openGitHub(operation);
    const rail = await openRail(operation, github.environment);
    const namespace = await rail.openNamespace('declaration');
    const { token } = namespace.credentials;
    const elsewhere = openTarget(namespace, { token: token ?? '', repository: 'a/b' }, operation);
    const { request } = namespace.examples(1);
    expect(await elsewhere.apply({ key: 'k', request, attempt: 1 })).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/nothing: only .* may be touched/),
    });
    await expect(elsewhere.capture(request)).rejects.toThrow(/may be touched/);
    await expect(namespace.effects()).rejects.toThrow(/nothing at GitHub/);
    expect(github.connections()).toBe(0);
  });
});

test('a service whose certificate nobody vouches for is sent nothing', async () => {
  const github = await openGitHub('comment');
  const { KILLPOINT_GITHUB_CA: _, ...unknown } = github.environment;
  const rail = await openRail('comment', unknown);
  await expect(rail.openNamespace('one')).rejects.toThrow(/came no answer/);
  expect(github.came).toEqual([]);
});

test('a token that GitHub does not know shows nowhere, and gives its place back', async () => {
  const github = await openGitHub('comment');
  const wrong = { ...github.environment, KILLPOINT_GITHUB_TOKEN: 'ghp_nobodyKnowsThisOne' };
  const rail = await openRail('comment', wrong);
  for (const id of ['one', 'two']) {
    const failure = await rail.openNamespace(id).then(
      () => 'opened',
      (error: unknown) => String(error),
    );
    expect(failure).toMatch(/expected to open an issue; came status 401/);
    expect(failure).not.toContain('nobodyKnows');
  }
});

test('not one connection is opened without settings, or with ones that can’t be meant', async () => {
  let connections = 0;
  const server = createServer(() => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const at = { KILLPOINT_GITHUB_URL: `https://localhost:${port}`, KILLPOINT_GITHUB_TOKEN: 'ghp_x' };
  const none = await openRail('merge', at);
  expect(none.unavailable).toMatch(/set KILLPOINT_GITHUB_TOKEN, and KILLPOINT_GITHUB_SANDBOX/);
  const wrong = await openRail('merge', { ...at, KILLPOINT_GITHUB_SANDBOX: 'octo' });
  expect(wrong.refused).toMatch(/KILLPOINT_GITHUB_SANDBOX must be owner\/name/);
  for (const rail of [none, wrong]) {
    await expect(rail.openNamespace('a/trial/1')).rejects.toThrow(/KILLPOINT_GITHUB_SANDBOX/);
    const namespace = await rail.openNamespace('declaration');
    expect(namespace.endpoint.host).toBe('api.github.com');
    await expect(namespace.effects()).rejects.toThrow();
  }
  expect(connections).toBe(0);
});

test('options that are not its own are refused', async () => {
  const open = (options: JsonObject) => createRail({ options });
  await expect(open({ operation: 'close' })).rejects.toThrow(/merge or comment/);
  await expect(open({ operation: 'merge', lagMS: 1 })).rejects.toThrow(/also came lagMS/);
  await expect(open({ operation: 'merge', trialsAtOnce: 0 })).rejects.toThrow(/one from 1/);
});
