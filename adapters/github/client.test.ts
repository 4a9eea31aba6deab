import { Octokit } from '@octokit/core';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { JsonObject } from '../target.ts';
import {
  comment,
  commentRequest,
  openCanned,
  openTarget,
  type Script,
  token,
} from './testing/canned.ts';

const post = 'POST /repos/octo/hello/issues/7/comments';

async function apply(script: Script, options: JsonObject = {}) {
  const github = await openCanned(script);
  const target = openTarget(github.endpoint, { operation: 'comment', ...options });
  const result = await target.apply({ key: 'k', request: commentRequest, attempt: 1 });
  return { result, sent: github.came.length };
}

describe('one request on the wire', () => {
  test.each<[string, Script[string], JsonObject]>([
    ['a reset', (_, socket) => socket.resetAndDestroy(), { cause: 'connection' }],
    ['an end without an answer', (_, socket) => socket.end(), { cause: 'connection' }],
    ['silence', () => undefined, { cause: 'timeout' }],
    ['a 502', { status: 502, body: '<html>' }, { cause: 'server-error' }],
    ['a 500 without a word', { status: 500, body: '' }, { cause: 'server-error' }],
    [
      'half a body',
      (response, socket) => {
        response.writeHead(201, { 'content-type': 'application/json', 'content-length': 900 });
        response.write('{"id":');
        setTimeout(() => socket.destroy(), 10);
      },
      { cause: 'unreadable' },
    ],
    [
      'half of a 502',
      (response, socket) => {
        response.writeHead(502, { 'content-length': 900 });
        response.write('<ht');
        setTimeout(() => socket.destroy(), 10);
      },
      { cause: 'server-error' },
    ],
    [
      'a body that trickles',
      (response) => {
        response.writeHead(201, { 'content-type': 'application/json' });
        const drops = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(drops));
      },
      { cause: 'timeout' },
    ],
    ['what is no HTTP', (_, socket) => socket.end('hello\r\n\r\n'), { cause: 'unreadable' }],
    ['JSON that is none', { status: 201, body: '{"id"' }, { cause: 'unreadable' }],
    [
      'a type that is none',
      { status: 201, body: 'x', headers: { 'content-type': ';' } },
      { cause: 'unreadable' },
    ],
    ['no content', { status: 204, body: '' }, { cause: 'unreadable' }],
    [
      'a redirect, which is not followed',
      { status: 307, body: '', headers: { location: '/repos/octo/elsewhere/issues/7/comments' } },
      { cause: 'unreadable' },
    ],
  ])('for %s, and nothing is told', async (_, answer, expected) => {
    const { result, sent } = await apply({ [post]: answer ?? {} } as Script, {
      clientTimeoutMs: 150,
    });
    expect(result).toMatchObject({ kind: 'unknown', ...expected });
    expect(sent).toBe(1);
  });

  test('where nobody listens is none', async () => {
    const endpoint = { protocol: 'http', host: '127.0.0.1', port: 1 } as const;
    const target = openTarget(endpoint, { operation: 'comment' });
    expect(await target.apply({ key: 'k', request: commentRequest, attempt: 1 })).toMatchObject({
      kind: 'unknown',
      cause: 'connection',
    });
  });

  test('has a connection of its own', async () => {
    const github = await openCanned({ [post]: { status: 201, body: comment(1, 'x') } });
    const target = openTarget(github.endpoint, { operation: 'comment' });
    await target.apply({ key: 'k', request: commentRequest, attempt: 1 });
    expect(github.came[0]?.headers.connection).toBe('close');
  });

  test('ends when the target is closed', async () => {
    const github = await openCanned({ [post]: () => undefined });
    const target = openTarget(github.endpoint, { operation: 'comment' });
    const call = target.apply({ key: 'k', request: commentRequest, attempt: 1 });
    await expect.poll(() => github.came.length).toBe(1);
    await target.close?.();
    expect(await call).toMatchObject({ kind: 'unknown', cause: 'connection' });
  });
});

test('the bare client calls a lost connection a 500 of GitHub’s, which ours does not', async () => {
  const github = await openCanned({ [post]: (_, socket) => socket.destroy() });
  const { host, port } = github.endpoint;
  const bare = new Octokit({ baseUrl: `http://${host}:${port}`, auth: token });
  await expect(
    bare.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      owner: 'octo',
      repo: 'hello',
      issue_number: 7,
      body: 'x',
    }),
  ).rejects.toMatchObject({ status: 500 });
});

test('what GitHub says of an old endpoint is not written to the console', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  onTestFinished(() => warn.mockRestore());
  const headers = { deprecation: 'yes', sunset: 'soon', link: '<https://x/>; rel="deprecation"' };
  await apply({ [post]: { status: 201, body: comment(1, 'x'), headers } });
  expect(warn).not.toHaveBeenCalled();
});
