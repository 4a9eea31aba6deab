import { describe, expect, test } from 'vitest';
import { whyNot } from './live-guard.ts';

const sandbox = { owner: 'Octo', repo: 'Sandbox' };

describe('what may be sent', () => {
  test.each([
    ['GET', '/repos/octo/sandbox'],
    ['PUT', '/repos/Octo/Sandbox/pulls/7/merge'],
    ['GET', '/repos/octo/sandbox/issues/7/comments?per_page=3&page=2'],
    ['GET', '/repos/octo/sandbox/git/ref/heads%20x/main'],
    ['GET', '/user'],
  ])('%s %s', (method, url) => {
    expect(whyNot(method, url, sandbox)).toBeNull();
  });
});

describe('what is never sent', () => {
  test.each([
    ['GET', '/repos/octo/production'],
    ['PUT', '/repos/octo/production/pulls/7/merge'],
    ['GET', '/repos/other/sandbox/pulls/7'],
    ['GET', '/repos/octo/sandbox-2/pulls/7'],
    ['GET', '/repos/octo'],
    ['GET', '/repositories/1/pulls/7'],
    ['DELETE', '/user'],
    ['POST', '/user/repos'],
    ['GET', '/user/repos'],
    ['POST', '/graphql'],
    ['GET', '/'],
    ['GET', '*'],
    ['GET', 'https://api.github.com/repos/octo/production'],
    ['GET', '//repos/octo/sandbox/../production'],
    ['GET', '/repos/octo/sandbox/../production/pulls/7'],
    ['GET', '/repos/octo/sandbox/./pulls/7'],
    ['GET', '/repos/octo/sandbox/%2e%2e/production'],
    ['GET', '/repos/octo/sandbox/%2E%2E/production'],
    ['GET', '/repos/octo/sandbox%2f..%2fproduction/pulls/7'],
    ['GET', '/repos/octo/sandbox/%252e%252e/production'],
    ['GET', '/repos/octo/sandbox\\..\\production'],
    ['GET', '/repos/octo/sandbox;x/pulls/7'],
  ])('%s %s', (method, url) => {
    expect(whyNot(method, url, sandbox)).toMatch(/^only octo\/sandbox may be touched; came/);
  });
});
