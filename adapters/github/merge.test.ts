import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../target.ts';
import {
  type Canned,
  type CannedGitHub,
  commit,
  failure,
  headSha,
  merged,
  mergedPull,
  mergeRequest,
  mergeSha,
  ok,
  openCanned,
  openTarget,
  pull,
  type Script,
  token,
} from './testing/canned.ts';

const put = 'PUT /repos/octo/hello/pulls/7/merge';
const getPull = 'GET /repos/octo/hello/pulls/7';
const getCommit = `GET /repos/octo/hello/commits/${mergeSha}`;
const key = 'k'.repeat(64);
const ours = commit(`A title\n\nEffect-Id: ${key}`);
const others = commit('Merge pull request #7 from octo/topic');

const open = ({ endpoint }: CannedGitHub, options: JsonObject = {}) =>
  openTarget(endpoint, { operation: 'merge', ...options });

async function apply(script: Script, options: JsonObject = {}) {
  const github = await openCanned(script);
  const result = await open(github, options).apply({ key, request: mergeRequest, attempt: 1 });
  return { result, asked: github.came.map(({ method, path }) => `${method} ${path}`) };
}

describe('a merge', () => {
  test.each(['merge', 'squash'])(
    'by %s sends the reviewed head and our trailer',
    async (method) => {
      const github = await openCanned({ [put]: merged(), [getCommit]: ours });
      const request = { ...mergeRequest, method, title: 'A title' };
      const result = await open(github).apply({ key, request, attempt: 1 });
      expect(result).toEqual({ kind: 'landed', entityId: mergeSha, stamp: key });
      const [sent] = github.came;
      expect(JSON.parse(String(sent?.body))).toEqual({
        sha: headSha,
        merge_method: method,
        commit_title: 'A title',
        commit_message: `Effect-Id: ${key}`,
      });
      expect(sent?.headers).toMatchObject({
        authorization: `token ${token}`,
        'x-github-api-version': '2022-11-28',
      });
    },
  );

  test('without a title leaves it to GitHub', async () => {
    const github = await openCanned({ [put]: merged(), [getCommit]: ours });
    await open(github).apply({ key, request: mergeRequest, attempt: 1 });
    expect(JSON.parse(String(github.came[0]?.body))).not.toHaveProperty('commit_title');
  });

  test.each<[string, Canned, string | null]>([
    ['another stamp', commit('T\n\nEffect-Id: another'), 'another'],
    ['no stamp', others, null],
  ])('whose commit carries %s says so', async (_, message, stamp) => {
    const { result } = await apply({ [put]: merged(), [getCommit]: message });
    expect(result).toEqual({ kind: 'landed', entityId: mergeSha, stamp });
  });

  test.each<[string, Canned]>([
    ['is not there yet', failure(404, 'Not Found')],
    ['is another commit', commit(`T\n\nEffect-Id: ${key}`, 'd'.repeat(40))],
    ['is of another shape', ok({ sha: mergeSha })],
    ['is answered 502', { status: 502, body: '<html>' }],
  ])('whose commit %s is unknown, whatever GitHub said of it', async (_, message) => {
    const { result } = await apply({ [put]: merged(), [getCommit]: message });
    expect(result).toMatchObject({ kind: 'unknown', detail: expect.stringMatching(/^merged; /) });
  });

  test('whose commit is not read in time is unknown', async () => {
    const script = { [put]: merged(), [getCommit]: () => undefined };
    const { result } = await apply(script, { clientTimeoutMs: 150 });
    expect(result).toMatchObject({ kind: 'unknown', cause: 'timeout' });
  });

  test('needs GitHub’s word that it was merged', async () => {
    const { result } = await apply({ [put]: ok({ sha: mergeSha, merged: false, message: 'no' }) });
    expect(result).toMatchObject({ kind: 'unknown', cause: 'unreadable' });
  });

  test.each<[string, string, JsonObject]>([
    ['an empty key', '', mergeRequest],
    ['a key of two lines', 'a\nb', mergeRequest],
    ['a rebase', key, { ...mergeRequest, method: 'rebase' }],
  ])('of %s is refused with nothing sent', async (_, ofKey, request) => {
    const github = await openCanned({});
    expect(await open(github).apply({ key: ofKey, request, attempt: 1 })).toMatchObject({
      kind: 'refused',
      mendable: false,
      reason: expect.stringMatching(/^Nothing was sent/),
    });
    expect(github.came).toEqual([]);
  });
});

describe('what GitHub turns down', () => {
  const notMergeable = failure(405, 'Pull Request is not mergeable');
  const headMoved = failure(409, 'Head branch was modified. Review and try the merge again.');

  test.each([notMergeable, headMoved, failure(422, 'Validation Failed')])(
    'with %j is ours where the pull request is merged with our trailer',
    async (refusal) => {
      const script = { [put]: refusal, [getPull]: mergedPull(), [getCommit]: ours };
      const { result } = await apply(script);
      expect(result).toEqual({ kind: 'landed', entityId: mergeSha, stamp: key });
    },
  );

  test('is refused for good where somebody else has merged, and says so', async () => {
    const script = { [put]: notMergeable, [getPull]: mergedPull(), [getCommit]: others };
    const { result } = await apply(script);
    expect(result).toMatchObject({
      kind: 'refused',
      mendable: false,
      reason: expect.stringMatching(/^merged by someone else, not ours \(ada, c{40}\)/),
    });
  });

  test.each<[string, Canned, Canned, boolean]>([
    ['what is not mergeable', notMergeable, pull(), true],
    [
      'a base that moved',
      failure(405, 'Base branch was modified. Review and try the merge again.'),
      pull(),
      true,
    ],
    ['a head that moved', headMoved, pull({ head: { sha: 'b'.repeat(40) } }), true],
    ['a draft', failure(405, 'Pull Request is still a draft'), pull({ draft: true }), true],
    ['what was closed', notMergeable, pull({ state: 'closed' }), false],
    ['an invalid request', failure(422, 'Validation Failed'), pull(), false],
  ])('as %s is refused, liftable: %s', async (_, refusal, state, mendable) => {
    const { result, asked } = await apply({ [put]: refusal, [getPull]: state });
    expect(result).toMatchObject({ kind: 'refused', mendable });
    expect(asked).toEqual([put, getPull]);
  });

  test('because a merge is in progress is unknown until that has ended', async () => {
    const refusal = failure(405, 'Merge already in progress');
    const { result } = await apply({ [put]: refusal, [getPull]: pull() });
    expect(result).toMatchObject({ kind: 'unknown', cause: 'in-flight' });
  });

  test.each<[string, Canned]>([
    ['404', failure(404, 'Not Found')],
    ['500', { status: 500, body: '{"message":"Server Error"}' }],
    ['another pull request', pull({ number: 8 })],
    [
      'one of another repository',
      pull({ base: { ref: 'main', repo: { full_name: 'octo/fork' } } }),
    ],
    ['a merged one without its commit', mergedPull({ merge_commit_sha: null })],
  ])('is unknown where the pull request is answered with %s', async (_, state) => {
    const { result } = await apply({ [put]: notMergeable, [getPull]: state });
    expect(result).toMatchObject({ kind: 'unknown', cause: 'server-error' });
  });

  test('is unknown where the pull request is not answered', async () => {
    const script: Script = { [put]: notMergeable, [getPull]: (_, socket) => socket.destroy() };
    const { result } = await apply(script);
    expect(result).toMatchObject({ kind: 'unknown', cause: 'connection' });
  });

  test.each<[number, string, JsonObject]>([
    [400, 'Problems parsing JSON', { kind: 'refused', mendable: false }],
    [401, 'Bad credentials', { kind: 'refused', mendable: true }],
    [403, 'Resource not accessible by personal access token', { kind: 'refused', mendable: true }],
    [403, 'You have exceeded a secondary rate limit.', { kind: 'refused', mendable: true }],
    [404, 'Not Found', { kind: 'refused', mendable: true }],
    [429, 'API rate limit exceeded', { kind: 'refused', mendable: true }],
    [418, 'a teapot', { kind: 'unknown', cause: 'server-error' }],
    [500, 'Server Error', { kind: 'unknown', cause: 'server-error' }],
    [502, 'Server Error', { kind: 'unknown', cause: 'server-error' }],
  ])('with %i %s', async (status, message, expected) => {
    const { result, asked } = await apply({ [put]: failure(status, message) });
    expect(result).toMatchObject(expected);
    expect(asked).toEqual([put]);
  });

  test.each([401, 403, 404, 405, 409, 422, 429])(
    'with a %i that is not in GitHub’s own voice is unknown',
    async (status) => {
      for (const body of ['<html>no</html>', { message: 'Forbidden' }, {}]) {
        const { result, asked } = await apply({ [put]: { status, body } });
        expect(result).toMatchObject({ kind: 'unknown', cause: 'unreadable' });
        expect(asked).toEqual([put]);
      }
    },
  );

  test('shows no token that the service echoes', async () => {
    const { result } = await apply({ [put]: failure(403, `no access for ${token}`) });
    expect(JSON.stringify(result)).toContain('[token]');
    expect(JSON.stringify(result)).not.toContain(token);
  });
});

describe('a lookup of a merge', () => {
  const query = async (script: Script) =>
    open(await openCanned(script)).query({ key, request: mergeRequest });

  test('finds ours by its trailer', async () => {
    expect(await query({ [getPull]: mergedPull(), [getCommit]: ours })).toEqual({
      kind: 'found',
      entityId: mergeSha,
    });
  });

  test('says absent of what somebody else has merged, which ours can’t be any more', async () => {
    expect(await query({ [getPull]: mergedPull(), [getCommit]: others })).toEqual({
      kind: 'absent',
      complete: true,
    });
  });

  test('never believes the merge commit of a pull request that is not merged', async () => {
    const github = await openCanned({
      [getPull]: pull({ merge_commit_sha: mergeSha }),
      [getCommit]: ours,
    });
    expect(await open(github).query({ key, request: mergeRequest })).toEqual({
      kind: 'absent',
      complete: true,
    });
    expect(github.came).toHaveLength(1);
  });

  test.each<[string, Script]>([
    ['a 404', {}],
    ['a 401', { [getPull]: failure(401, 'Bad credentials') }],
    [
      'a redirect',
      { [getPull]: { ...failure(301, 'Moved Permanently'), headers: { location: '/' } } },
    ],
    ['another pull request', { [getPull]: pull({ number: 8 }) }],
    [
      'another repository',
      { [getPull]: pull({ base: { ref: 'main', repo: { full_name: 'a/b' } } }) },
    ],
    ['a commit that is not there', { [getPull]: mergedPull() }],
    ['half an answer', { [getPull]: { status: 200, body: '{"number":7' } }],
  ])('could not tell from %s', async (_, script) => {
    expect(await query(script)).toMatchObject({ kind: 'could-not-tell' });
  });

  test('sends no ETag, so that nothing old is confirmed', async () => {
    const github = await openCanned({ [getPull]: { ...pull(), headers: { etag: '"1"' } } });
    const target = open(github);
    await target.query({ key, request: mergeRequest });
    await target.query({ key, request: mergeRequest });
    expect(github.came).toHaveLength(2);
    for (const { headers } of github.came) expect(headers).not.toHaveProperty('if-none-match');
  });
});
