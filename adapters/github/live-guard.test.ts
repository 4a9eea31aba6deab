import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { throwAwayCertificate } from '../stripe/testing/loopback.ts';
import { openLiveClient } from './live-client.ts';
import { openLiveGuard, whyNot } from './live-guard.ts';

const sandbox = { owner: 'Octo', repo: 'Sandbox' };

describe('what may be sent', () => {
  test.each([
    ['GET', '/repos/octo/sandbox'],
    ['PUT', '/repos/Octo/Sandbox/pulls/7/merge'],
    ['GET', '/repos/octo/sandbox/issues/7/comments?per_page=3&page=2'],
    ['GET', '/repos/octo/sandbox/git/ref/heads%20x/main'],
    ['GET', '/user'],
    ['GET', '/repos/octo/sandbox/forks'],
    ['POST', '/repos/octo/sandbox/git/refs'],
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
    ['GET', '/repos/octo/sandbox.git/pulls/7'],
    ['GET', '/repos/octo/s%61ndbox/pulls/7'],
    ['GET', '/Repos/octo/sandbox/pulls/7'],
    ['PATCH', '/repos/octo/sandbox'],
    ['DELETE', '/repos/octo/sandbox'],
    ['POST', '/repos/octo/sandbox/forks'],
    ['POST', '/repos/octo/sandbox/Forks?organization=other'],
    ['POST', '/repos/octo/sandbox/generate'],
    ['POST', '/repos/octo/sandbox/transfer'],
  ])('%s %s', (method, url) => {
    expect(whyNot(method, url, sandbox)).toMatch(/^only octo\/sandbox may be touched; came/);
  });
});

describe('what GitHub answers leads nobody past the guard', () => {
  /** A guard, and what came to the GitHub behind it. */
  async function openGuard(answer: RequestListener) {
    const { key, cert, authority } = await throwAwayCertificate({ type: 2, value: 'localhost' });
    const came: string[] = [];
    const github = createServer({ key, cert }, (request, response) => {
      came.push(`${request.method} ${request.url}`);
      answer(request, response);
    });
    await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
    const { port } = github.address() as AddressInfo;
    const endpoint = { protocol: 'https', host: 'localhost', port, caPem: authority } as const;
    const guard = await openLiveGuard(endpoint, sandbox);
    onTestFinished(async () => {
      await guard.close();
      github.closeAllConnections();
      await new Promise((resolve) => github.close(resolve));
    });
    return { came, guard, at: `http://127.0.0.1:${guard.endpoint.port}` };
  }

  test.each([301, 302, 307, 308])('not by a %i', async (status) => {
    const { came, guard, at } = await openGuard((_, response) => {
      response.writeHead(status, { location: '/repos/octo/production/pulls/7' }).end('{}');
    });
    const answer = await fetch(`${at}/repos/octo/sandbox/pulls/7`);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('location')).toBeNull();
    const client = openLiveClient(guard.endpoint, 'ghp_x', sandbox);
    const asked = client.call('read it', 'GET /repos/{owner}/{repo}/pulls/{number}', { number: 7 });
    await expect(asked).rejects.toThrow(`expected to read it; came status ${status}`);
    expect(came).toEqual(['GET /repos/octo/sandbox/pulls/7', 'GET /repos/Octo/Sandbox/pulls/7']);
  });

  test('not by the addresses of further pages, as GitHub writes them', async () => {
    const link = [
      '<https://api.github.com/repositories/1/issues/7/comments?per_page=3&page=2>; rel="next"',
      '<https://api.github.com/repos/octo/sandbox/issues/7/comments?page=9>; rel="last"',
    ].join(', ');
    const { at, came } = await openGuard((_, response) => {
      response.writeHead(200, { link }).end('[]');
    });
    const answer = await fetch(`${at}/repos/octo/sandbox/issues/7/comments?per_page=3`);
    const place = `${at}/repos/Octo/Sandbox/issues/7/comments`;
    expect(answer.headers.get('link')).toBe(
      `<${place}?per_page=3&page=2>; rel="next", <${place}?page=9>; rel="last"`,
    );
    await fetch(`${place}?per_page=3&page=2`);
    expect(came.at(-1)).toBe('GET /repos/Octo/Sandbox/issues/7/comments?per_page=3&page=2');
  });
});
