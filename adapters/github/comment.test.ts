import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../target.ts';
import { bodyWithStamp } from './stamp.ts';
import {
  type Canned,
  type CannedGitHub,
  comment,
  commentRequest,
  failure,
  issue,
  ok,
  openCanned,
  openTarget,
  type Script,
} from './testing/canned.ts';

const place = '/repos/octo/hello/issues/7';
const post = `POST ${place}/comments`;
const list = `GET ${place}/comments`;
const getIssue = `GET ${place}`;
const key = 'k'.repeat(64);
const text = String(commentRequest.body);
const ours = comment(3, bodyWithStamp(text, key));
const plain = (id: number) => comment(id, text);

const open = ({ endpoint }: CannedGitHub, options: JsonObject = {}) =>
  openTarget(endpoint, { operation: 'comment', pageSize: 2, ...options });

async function apply(script: Script) {
  const github = await openCanned(script);
  return open(github).apply({ key, request: commentRequest, attempt: 1 });
}

function pages(...each: JsonValue[][]): readonly Canned[] {
  // As GitHub writes it: its own host, the repository by its number.
  const next = '<https://api.github.com/repositories/1/issues/7/comments?page=9>; rel="next"';
  return each.map((page, at) => ({
    ...ok(page),
    ...(at + 1 < each.length && { headers: { link: `<https://x/>; rel="prev", ${next}` } }),
  }));
}

describe('a comment', () => {
  test('carries its stamp in a hidden line at its end', async () => {
    const github = await openCanned({ [post]: ok(ours, 201) });
    const call = { key, request: commentRequest, attempt: 1 };
    expect(await open(github).apply(call)).toEqual({ kind: 'landed', entityId: '3', stamp: key });
    expect(github.came).toHaveLength(1);
    expect(JSON.parse(String(github.came[0]?.body))).toEqual({
      body: `${text}\n\n<!-- effect-id: ${key} -->`,
    });
  });

  test('has an id of any length, and all of its digits', async () => {
    const { id: _, ...rest } = ours;
    const long = JSON.stringify(rest).replace('{', '{"id":16777215000000001,');
    const headers = { 'content-type': 'application/json' };
    expect(await apply({ [post]: { status: 201, body: long, headers } })).toMatchObject({
      kind: 'landed',
      entityId: '16777215000000001',
    });
  });

  test('that comes back with another stamp or none says so', async () => {
    const foreign = ok(comment(4, bodyWithStamp(text, 'another')), 201);
    expect(await apply({ [post]: foreign })).toMatchObject({ kind: 'landed', stamp: 'another' });
    expect(await apply({ [post]: ok(plain(5), 201) })).toMatchObject({ stamp: null });
  });

  test.each<[string, Canned]>([
    ['of another issue', ok(comment(3, bodyWithStamp(text, key), 8), 201)],
    ['with status 200', ok(ours)],
    ['without an id', ok({ ...ours, id: null }, 201)],
  ])('%s is not ours to believe in', async (_, answer) => {
    expect(await apply({ [post]: answer })).toMatchObject({ kind: 'unknown', cause: 'unreadable' });
  });

  test.each<[number, string, JsonObject]>([
    [401, 'Bad credentials', { kind: 'refused', mendable: true }],
    [403, 'You have exceeded a secondary rate limit.', { kind: 'refused', mendable: true }],
    [403, 'Unable to create comment because issue is locked.', { kind: 'refused', mendable: true }],
    [404, 'Not Found', { kind: 'refused', mendable: true }],
    [410, 'This issue was deleted', { kind: 'refused', mendable: false }],
    [422, 'Validation Failed', { kind: 'refused', mendable: false }],
    [429, 'API rate limit exceeded', { kind: 'refused', mendable: true }],
    [500, 'Server Error', { kind: 'unknown', cause: 'server-error' }],
    [405, 'Method Not Allowed', { kind: 'unknown', cause: 'server-error' }],
  ])('that is answered %i %s', async (status, message, expected) => {
    expect(await apply({ [post]: failure(status, message) })).toMatchObject(expected);
  });
});

describe('a lookup of a comment', () => {
  const query = async (script: Script) =>
    open(await openCanned(script)).query({ key, request: commentRequest });

  test('reads to the last page, where a fresh one is', async () => {
    const github = await openCanned({
      [list]: pages([plain(1), plain(2)], [plain(4), plain(5)], [ours]),
      [getIssue]: issue(5),
    });
    const target = open(github);
    expect(await target.query({ key, request: commentRequest })).toEqual({
      kind: 'found',
      entityId: '3',
    });
    expect(github.came.map(({ path }) => path)).toEqual([
      place,
      `${place}/comments?per_page=2&page=1`,
      `${place}/comments?per_page=2&page=2`,
      `${place}/comments?per_page=2&page=3`,
    ]);
  });

  test('matches the marker of its own key and nothing else', async () => {
    const quoted = comment(8, `> ${bodyWithStamp(text, key)}\n\nagreed`);
    const another = comment(9, bodyWithStamp(text, 'another'));
    const script = { [list]: pages([plain(1), quoted], [another]), [getIssue]: issue(3) };
    expect(await query(script)).toEqual({ kind: 'absent', complete: true });
  });

  test('says many of two with our marker, and one of one that came on two pages', async () => {
    const twin = comment(4, bodyWithStamp(text, key));
    expect(await query({ [list]: pages([ours, twin]), [getIssue]: issue(2) })).toEqual({
      kind: 'many',
      entityIds: ['3', '4'],
    });
    const twice = { [list]: pages([plain(1), ours], [ours, plain(5)]), [getIssue]: issue(3) };
    expect(await query(twice)).toEqual({ kind: 'found', entityId: '3' });
  });

  test('could not tell from a list that is shorter than the issue’s count', async () => {
    const short = { [list]: pages([plain(1), plain(2)]), [getIssue]: issue(3) };
    expect(await query(short)).toMatchObject({
      kind: 'could-not-tell',
      detail: expect.stringMatching(/counts 3 comments, the list has 2/),
    });
  });

  test('believes a list that is longer than the count: it was read later', async () => {
    const longer = { [list]: pages([plain(1), ours]), [getIssue]: issue(1) };
    expect(await query(longer)).toMatchObject({ kind: 'found' });
  });

  test.each<[string, Script]>([
    ['an issue that is not there', { [list]: pages([ours]) }],
    ['another issue', { [getIssue]: issue(0, { number: 8 }), [list]: pages([]) }],
    [
      'an issue of another repository',
      {
        [getIssue]: issue(0, { repository_url: 'https://api.github.com/repos/a/b' }),
        [list]: pages([]),
      },
    ],
    ['a comment of another issue', { [getIssue]: issue(1), [list]: pages([comment(1, 'x', 8)]) }],
    ['an empty page that claims more', { [getIssue]: issue(0), [list]: pages([], [ours]) }],
    [
      'a page that repeats itself',
      { [getIssue]: issue(1), [list]: pages([plain(1)], [plain(1)], []) },
    ],
    ['a 401', { [getIssue]: issue(1), [list]: failure(401, 'Bad credentials') }],
    ['a 500', { [getIssue]: issue(1), [list]: failure(500, 'Server Error') }],
    ['a list that is none', { [getIssue]: issue(1), [list]: ok({ comments: [] }) }],
    [
      'a second page that breaks off',
      {
        [getIssue]: issue(3),
        [list]: [...pages([plain(1)], []).slice(0, 1), { status: 200, body: '[{' }],
      },
    ],
  ])('could not tell from %s', async (_, script) => {
    expect(await query(script)).toMatchObject({ kind: 'could-not-tell' });
  });
});
