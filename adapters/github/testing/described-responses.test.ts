import { expect, test } from 'vitest';
import { judgeAnswer } from './described-responses.ts';

const merge = { method: 'PUT', path: '/repos/o/r/pulls/1/merge' };
const merged = { sha: 'a'.repeat(40), merged: true, message: 'Pull Request successfully merged' };

test('an answer is held to what GitHub describes for its place and status', () => {
  expect(judgeAnswer({ ...merge, status: 200, data: merged })).toEqual({ kind: 'as-described' });
  const { sha, ...incomplete } = merged;
  expect(judgeAnswer({ ...merge, status: 200, data: incomplete })).toMatchObject({
    kind: 'wrong',
    why: expect.stringContaining("'sha'"),
  });
  expect(judgeAnswer({ ...merge, status: 200, data: { ...merged, sha: 7 } }).kind).toBe('wrong');
  expect(judgeAnswer({ ...merge, status: 405, data: { message: 7 } }).kind).toBe('wrong');
});

test('what may be null may be, and what may not may not', () => {
  const path = '/repos/o/r/git/ref/heads/a/branch';
  const object = { type: 'commit', sha: 'a'.repeat(40), url: 'http://localhost/a' };
  const data = { ref: 'refs/heads/a/branch', node_id: 'x', url: 'http://localhost/r', object };
  const judge = (shown: object) => judgeAnswer({ method: 'GET', path, status: 200, data: shown });
  expect(judge(data)).toEqual({ kind: 'as-described' });
  expect(judge({ ...data, url: 'no address' }).kind).toBe('wrong');
  expect(judge({ ...data, ref: null }).kind).toBe('wrong');
});

test('an empty answer is empty, and what is not described is not judged', () => {
  const check = { method: 'GET', path: '/repos/o/r/pulls/1/merge' };
  expect(judgeAnswer({ ...check, status: 204, data: undefined }).kind).toBe('as-described');
  expect(judgeAnswer({ ...check, status: 204, data: {} }).kind).toBe('wrong');
  expect(judgeAnswer({ ...check, status: 418, data: {} }).kind).toBe('undescribed');
  expect(judgeAnswer({ method: 'GET', path: '/zen', status: 200, data: 1 }).kind).toBe(
    'undescribed',
  );
});
