import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createRail } from '../rail.ts';
import { asking, openGitHub, openNamespace } from './testing/github.ts';

test('a token is sent with either word', async () => {
  const { endpoint, credentials } = await openNamespace('merge');
  const url = `http://${endpoint.host}:${endpoint.port}/repos/${credentials.repository}`;
  for (const word of ['token', 'Bearer', 'bearer']) {
    const headers = { authorization: `${word} ${credentials.token}` };
    expect((await fetch(url, { headers })).status).toBe(200);
  }
});

test('one that is nobody’s is refused with 401', async () => {
  const namespace = await openNamespace('merge');
  for (const token of ['ghp_nobody', '']) {
    const ask = asking(namespace, { ...namespace.credentials, token });
    expect(await ask('GET ')).toMatchObject({ status: 401, data: { message: 'Bad credentials' } });
  }
});

test('every answer names its request and counts against the limit', async () => {
  const { subject } = await openGitHub('merge');
  const answers = [
    await subject('GET '),
    await subject('GET /nothing'),
    await subject('GET /pulls/1'),
  ];
  const ids = answers.map(({ headers }) => headers['x-github-request-id']);
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[0-9A-F]+$/);
  expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual([
    '4999',
    '4998',
    '4997',
  ]);
});

test('what is not served, and what is not JSON, is said so', async () => {
  const { namespace, subject } = await openGitHub('merge');
  for (const route of [
    'GET /nothing',
    'GET /git/refs/heads/main',
    'PUT /pulls/1',
    'OPTIONS /pulls/1',
  ]) {
    expect(await subject(route)).toMatchObject({ status: 404, data: { message: 'Not Found' } });
  }
  const { host, port } = namespace.endpoint;
  const { repository, token } = namespace.credentials;
  const headers = { authorization: `token ${token}` };
  const url = `http://${host}:${port}/repos/${repository}/pulls/1/merge`;
  const send = async (body: string) => await fetch(url, { method: 'PUT', headers, body });
  expect((await send('{')).status).toBe(400);
  expect((await send('[]')).status).toBe(400);
  expect((await send(' '.repeat(1024 * 1024 + 1))).status).toBe(413);
  for (const path of ['/repos/%zz/x', '//', '/']) {
    expect((await fetch(`http://${host}:${port}${path}`, { headers })).status).toBe(404);
  }
});

test('a repository is reached by its own tokens alone, in any case of its name', async () => {
  const rail = await createRail({ options: { operation: 'comment' } });
  onTestFinished(() => rail.close());
  const one = await rail.openNamespace('one');
  const two = await rail.openNamespace('two');
  await expect(rail.openNamespace('two')).rejects.toThrow(/an id no open namespace has/);
  const stranger = asking(one, { ...two.credentials, token: one.credentials.token ?? '' });
  expect(await stranger('GET /issues/6')).toMatchObject({ status: 404 });
  const own = asking(one, one.credentials);
  await own('POST /issues/6/comments', { body: 'mine' });
  expect(await one.effects()).toHaveLength(1);
  expect(await two.effects()).toEqual([]);
  const loud = String(one.credentials.repository).toUpperCase();
  expect((await asking(one, { ...one.credentials, repository: loud })('GET ')).status).toBe(200);
});

test('a namespace that is closed is forgotten, and its folder with it', async () => {
  const rail = await createRail({ options: { operation: 'merge' } });
  const one = await rail.openNamespace('one');
  const two = await rail.openNamespace('two');
  expect(existsSync(one.gitdir)).toBe(true);
  await one.close();
  expect(existsSync(one.gitdir)).toBe(false);
  expect(await asking(one, one.credentials)('GET ')).toMatchObject({ status: 401 });
  expect(await asking(two, two.credentials)('GET ')).toMatchObject({ status: 200 });
  await rail.close();
  expect(existsSync(dirname(two.gitdir))).toBe(false);
});

test.each([
  [{ operation: 'merge', speed: 1 }, /also came speed/],
  [{}, /operation must be merge or comment; came undefined/],
  [{ operation: 'merge', lagMs: 0.5 }, /lagMs must be a whole number/],
] as const)('options %o are refused with what is wrong with them', async (options, why) => {
  await expect(createRail({ options })).rejects.toThrow(why);
});
