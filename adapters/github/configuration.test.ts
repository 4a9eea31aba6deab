import { describe, expect, test } from 'vitest';
import { InvalidRequestError, type JsonObject } from '../target.ts';
import { createTarget } from './target.ts';
import { commentRequest, credentials, headSha, mergeRequest, token } from './testing/canned.ts';

const nowhere = { protocol: 'http', host: '127.0.0.1', port: 1 } as const;

function configure(changes: {
  readonly credentials?: JsonObject;
  readonly options?: JsonObject;
  readonly endpoint?: Parameters<typeof createTarget>[0]['endpoint'];
}) {
  const options = { operation: 'merge' };
  return createTarget({ endpoint: nowhere, credentials, options, now: Date.now, ...changes });
}

describe('a declaration', () => {
  test('of merges: once by state, guarded by the head, found by its trailer, absent after a bound', () => {
    const target = configure({});
    expect(target.declaration).toEqual({
      dedupe: null,
      onceByState: true,
      guardsPremises: true,
      lookup: { lagMs: 10_000, seesDeletions: true },
      absence: { landingBoundMs: 30_000 },
      storedErrorFinal: false,
      noReturnMark: false,
      premises: ['value-equals'],
      clientTimeoutMs: 20_000,
    });
    expect(target.fence).toBeUndefined();
  });

  test('of comments: never deduped, found by a hidden line, never absent for good', () => {
    expect(configure({ options: { operation: 'comment' } }).declaration).toEqual({
      dedupe: null,
      onceByState: false,
      guardsPremises: false,
      lookup: { lagMs: 10_000, seesDeletions: false },
      absence: 'never',
      storedErrorFinal: false,
      noReturnMark: false,
      premises: ['value-equals'],
      clientTimeoutMs: 20_000,
    });
  });
});

describe('configuration', () => {
  test.each<[string, JsonObject, RegExp]>([
    ['no operation', {}, /operation must be merge or comment; came undefined/],
    ['another operation', { operation: 'close' }, /came "close"/],
    ['a page size of merges', { operation: 'merge', pageSize: 3 }, /also came pageSize/],
    [
      'a bound of comments',
      { operation: 'comment', landingBoundMs: 1 },
      /also came landingBoundMs/,
    ],
    ['a page of 101', { operation: 'comment', pageSize: 101 }, /from 1 to 100; came 101/],
    ['a negative lag', { operation: 'merge', lagMs: -1 }, /lagMs must be an integer from 0/],
    ['a timeout of 0', { operation: 'merge', clientTimeoutMs: 0 }, /from 1 to 2147483647; came 0/],
  ])('%s is an error that says what to do', (_, options, message) => {
    expect(() => configure({ options })).toThrow(message);
  });

  test.each<[string, JsonObject, RegExp]>([
    ['no token', { repository: 'octo/hello' }, /credentials\.token/],
    ['a token of two lines', { token: 'a\nb', repository: 'octo/hello' }, /credentials\.token/],
    ['no repository', { token }, /credentials\.repository must be owner\/name/],
    ['a repository without owner', { token, repository: 'hello' }, /owner\/name/],
    ['a repository that leads elsewhere', { token, repository: '../user' }, /owner\/name/],
    ['a longer path', { token, repository: 'octo/hello/pulls' }, /owner\/name/],
    ['a repository that holds the token', { token, repository: `octo/${token}` }, /owner\/name/],
    ['another field', { ...credentials, login: 'ada' }, /also came login/],
  ])('%s is an error that shows no token', (_, given, message) => {
    const open = () => configure({ credentials: given });
    expect(open).toThrow(message);
    expect(open).not.toThrow(token);
  });

  test('an endpoint that contradicts itself is an error', () => {
    expect(() => configure({ endpoint: { ...nowhere, protocol: 'tcp' } })).toThrow(/came tcp/);
    expect(() => configure({ endpoint: { ...nowhere, caPem: 'PEM' } })).toThrow(/caPem/);
  });
});

describe('identity', () => {
  test('is the pull request in its repository, in lower case; head, method and title are no part of it', () => {
    const target = configure({ credentials: { token, repository: 'Octo/Hello' } });
    const identity = {
      target: 'github',
      account: 'octo/hello',
      operation: 'merge',
      subject: 'octo/hello#7',
      keyFields: {},
    };
    expect(target.identify(mergeRequest)).toEqual(identity);
    const other = { ...mergeRequest, sha: 'b'.repeat(40), method: 'squash', title: 'A title' };
    expect(target.identify({ ...other, distinct: 'approval-7' })).toEqual(identity);
  });

  test('of a comment is the issue; the text is no part of it', () => {
    const target = configure({ options: { operation: 'comment' } });
    expect(target.identify({ ...commentRequest, body: 'another' })).toEqual({
      target: 'github',
      account: 'octo/hello',
      operation: 'comment',
      subject: 'octo/hello#7',
      keyFields: {},
    });
  });

  test.each<[string, JsonObject, RegExp]>([
    ['a rebase', { ...mergeRequest, method: 'rebase' }, /leaves no commit of its own .* stamp/],
    ['no method', { operation: 'merge', pullNumber: 7, sha: headSha }, /one of merge, squash/],
    ['a short sha', { ...mergeRequest, sha: 'abc1234' }, /40 hexadecimal digits/],
    [
      'no sha',
      { operation: 'merge', pullNumber: 7, method: 'merge' },
      /sha must be .* came nothing/,
    ],
    ['a number as text', { ...mergeRequest, pullNumber: '7' }, /positive integer; came "7"/],
    ['a title of two lines', { ...mergeRequest, title: 'a\nb' }, /one line/],
    ['a field of its own', { ...mergeRequest, force: true }, /also came force/],
    ['another operation', { ...mergeRequest, operation: 'close' }, /merges pull requests only/],
    ['an empty approval', { ...mergeRequest, distinct: '' }, /distinct/],
  ])('%s is an invalid merge', (_, request, message) => {
    const identify = () => configure({}).identify(request);
    expect(identify).toThrow(InvalidRequestError);
    expect(identify).toThrow(message);
  });

  test.each<[string, JsonObject, RegExp]>([
    ['an empty text', { ...commentRequest, body: ' \n' }, /says something/],
    ['a text too long', { ...commentRequest, body: 'x'.repeat(65_001) }, /at most 65000/],
    ['issue 0', { ...commentRequest, issueNumber: 0 }, /positive integer; came 0/],
    ['another operation', { ...commentRequest, operation: 'merge' }, /writes comments only/],
  ])('%s is an invalid comment', (_, request, message) => {
    const identify = () => configure({ options: { operation: 'comment' } }).identify(request);
    expect(identify).toThrow(InvalidRequestError);
    expect(identify).toThrow(message);
  });
});
