/** What one call of the official client can leave behind: the reason why a target is built without its retries. */
import { Octokit } from '@octokit/core';
import { retry } from '@octokit/plugin-retry';
import { expect, onTestFinished, test } from 'vitest';
import { openWire } from '../../../harness/wire/wire.ts';
import type { Endpoint } from '../../target.ts';
import { openGitHub, silent } from './testing/github.ts';

async function openComments() {
  const { namespace, arm } = await openGitHub('comment');
  const { repository, token } = namespace.credentials;
  const comment = (
    { host, port }: Endpoint,
    Client: typeof Octokit,
    request: { readonly retries?: number } = {},
  ) =>
    new Client({
      auth: token,
      baseUrl: `http://${host}:${port}`,
      log: silent,
      request: { log: silent },
      // A thousandth of its usual waiting.
      retry: { retryAfterBaseValue: 1 },
    }).request(`POST /repos/${repository}/issues/6/comments`, { body: 'Approved.', request });
  return { namespace, arm, comment };
}

const Retrying = Octokit.plugin(retry) as typeof Octokit;

async function openLosingWire(upstream: Endpoint, lost: number): Promise<Endpoint> {
  let seen = 0;
  const wire = openWire({
    upstream,
    decisions: {
      connection: () => 'accept',
      request: () => {
        seen += 1;
        return { upstream: 'forward', reply: seen > lost ? 'deliver' : 'reset' };
      },
    },
    observe: () => undefined,
  });
  onTestFinished(() => wire.close());
  return wire.listen(1);
}

test('three comments from one call, whose first two replies are lost', async () => {
  const { namespace, comment } = await openComments();
  const wire = await openLosingWire(namespace.endpoint, 2);
  expect(await comment(wire, Retrying)).toMatchObject({ status: 201 });
  expect(await namespace.effects()).toHaveLength(3);
  expect(namespace.requests()).toHaveLength(3);
});

test('three comments from one call, which is answered 502 twice', async () => {
  const { namespace, arm, comment } = await openComments();
  arm({ kind: 'half-done' });
  arm({ kind: 'half-done' });
  expect(await comment(namespace.endpoint, Retrying)).toMatchObject({ status: 201 });
  expect(await namespace.effects()).toHaveLength(3);
});

test('one comment from one call without the plugin, or with its retries turned off', async () => {
  for (const [client, request] of [
    [Octokit, {}],
    [Retrying, { retries: 0 }],
  ] as const) {
    const { namespace, comment } = await openComments();
    const wire = await openLosingWire(namespace.endpoint, 1);
    await expect(comment(wire, client, request)).rejects.toMatchObject({ status: 500 });
    expect(await namespace.effects()).toHaveLength(1);
  }
});
