import { describe, expect, test } from 'vitest';
import type { RailWorldEvent } from '../../rail.ts';
import type { JsonObject } from '../../target.ts';
import { createRail } from '../rail.ts';
import {
  type Answered,
  asking,
  headOf,
  mergeBody,
  type OpenGitHub,
  openGitHub,
} from './testing/github.ts';

async function openMerge() {
  const opened = await openGitHub('merge');
  const { request } = opened.namespace.examples(1);
  const merge = () => opened.subject('PUT /pulls/1/merge', mergeBody(String(request.sha)));
  return { ...opened, ...scene(opened, request), act: merge };
}

async function openComment() {
  const opened = await openGitHub('comment');
  const { request } = opened.namespace.examples(1);
  const body = `${request.body}\n\n<!-- effect-id: ours -->`;
  const post = () => opened.subject('POST /issues/6/comments', { body });
  return { ...opened, ...scene(opened, request), act: post };
}

function scene({ namespace }: OpenGitHub, request: JsonObject) {
  return { request, world: (event: RailWorldEvent) => namespace.world(event, request) };
}

const ofEither = [
  ['merge', openMerge],
  ['comment', openComment],
] as const;

const pullFacts = ({ data }: Answered) => ({
  head: data.head.sha,
  base: data.base.ref,
  state: data.state,
  draft: data.draft,
});

describe('the world of a merge', () => {
  test('by hand is the same merge by another login, without a stamp', async () => {
    const { namespace, subject, request, world, act } = await openMerge();
    await world('done-by-hand');
    const { merged, merged_by } = (await subject('GET /pulls/1')).data;
    expect(merged).toBe(true);
    expect(merged_by.login).toMatch(/^person-/);
    expect((await act()).status).toBe(405);
    expect(await namespace.effects()).toMatchObject([
      { actor: 'person', stamp: null, substance: { sha: request.sha, method: 'merge' } },
    ]);
    await expect(world('done-by-hand')).rejects.toThrow(/could not PUT .*not mergeable/);
  });

  test('by hand takes the way that was asked for', async () => {
    const { namespace } = await openMerge();
    const { changed } = namespace.examples(1);
    await namespace.world('done-by-hand', changed);
    expect(await namespace.effects()).toMatchObject([{ substance: { method: 'squash' } }]);
  });

  test('pushes to the head, and what was reviewed can’t be merged any more', async () => {
    const { subject, request, world, act } = await openMerge();
    await world('premise-changed');
    expect(await headOf(subject, 1)).not.toBe(request.sha);
    expect((await act()).status).toBe(409);
  });

  test('pushes and puts it back: the facts are the old ones', async () => {
    const { subject, world, act } = await openMerge();
    const before = pullFacts(await subject('GET /pulls/1'));
    await world('premise-changed-and-back');
    expect(pullFacts(await subject('GET /pulls/1'))).toEqual(before);
    expect((await act()).status).toBe(200);
  });

  test('changes elsewhere what no fact of it speaks of', async () => {
    const { namespace, subject, world } = await openMerge();
    const before = (await subject('GET /pulls/1')).data;
    await world('unrelated-change');
    await world('unrelated-change');
    expect((await subject('GET /pulls/1')).data).toEqual(before);
    expect((await subject('GET /git/ref/heads/experiment')).status).toBe(200);
    expect((await subject('GET /issues/7')).data.comments).toBe(2);
    expect(await namespace.effects()).toEqual([]);
  });

  test('has no way to undo one', async () => {
    const { namespace, world, act } = await openMerge();
    await act();
    expect(namespace.worldEvents).not.toContain('undone-by-hand');
    await expect(world('undone-by-hand')).rejects.toThrow(/nobody can undo a merge/);
  });
});

describe('the world of a comment', () => {
  test('by hand is the same comment by another login, without a stamp', async () => {
    const { namespace, request, repository, world, act } = await openComment();
    await act();
    await world('done-by-hand');
    const common = { subject: `${repository}#6`, substance: { body: request.body } };
    expect(await namespace.effects()).toMatchObject([
      { ...common, actor: 'subject', stamp: 'ours' },
      { ...common, actor: 'person', stamp: null },
    ]);
  });

  test('undoes ours, which stays in the journal, and nothing where none stands', async () => {
    const { namespace, subject, world, act } = await openComment();
    await world('done-by-hand');
    await expect(world('undone-by-hand')).rejects.toThrow(/there is none/);
    await act();
    const before = await namespace.effects();
    await world('undone-by-hand');
    expect(await namespace.effects()).toEqual(before);
    expect((await subject('GET /issues/6/comments')).data).toHaveLength(1);
    await expect(world('undone-by-hand')).rejects.toThrow(/there is none/);
  });

  test('edits the title, and edits it back', async () => {
    const { subject, world } = await openComment();
    const title = async () => (await subject('GET /issues/6')).data.title;
    const before = await title();
    await world('premise-changed-and-back');
    expect(await title()).toBe(before);
    await world('premise-changed');
    expect(await title()).not.toBe(before);
  });

  test('changes elsewhere what no fact of it speaks of', async () => {
    const { namespace, subject, repository, world } = await openComment();
    const before = (await subject('GET /issues/6')).data;
    await world('unrelated-change');
    expect((await subject('GET /issues/6')).data).toEqual(before);
    expect(await namespace.effects()).toMatchObject([
      { actor: 'person', subject: `${repository}#7` },
    ]);
  });
});

describe.each(ofEither)('the world of a %s', (_operation, open) => {
  test('does nothing to a request that names nothing of it', async () => {
    const { namespace } = await open();
    await expect(namespace.world('done-by-hand', {})).rejects.toThrow(/Take one of its examples/);
  });

  test('leaves room for every event, again and again, and for the examples of every seed', async () => {
    const { namespace, world, act } = await open();
    for (let round = 0; round < 5; round += 1) {
      for (const event of namespace.worldEvents) {
        if (!['done-by-hand', 'undone-by-hand'].includes(event)) await world(event);
      }
    }
    expect(namespace.examples(7)).toEqual(namespace.examples(7));
    expect(await act()).toBeDefined();
  });

  test('breaks with a restart what is under way, which never takes effect', async () => {
    const { namespace, world, act } = await open();
    const held = namespace.hold();
    const call = act().catch((error: Error) => error);
    await held.reached;
    await world('rail-restarted');
    expect(await call).toMatchObject({ status: 500, response: undefined });
    expect(namespace.idle()).toBe(true);
    held.release();
    expect(await namespace.effects()).toEqual([]);
    expect((await act()).status).toBeLessThan(300);
    expect(await namespace.effects()).toHaveLength(1);
  });

  test('keeps over a restart what took effect, and a hold that nothing has met', async () => {
    const { namespace, world, act } = await open();
    const held = namespace.hold();
    await world('rail-restarted');
    const call = act();
    await held.reached;
    expect(namespace.idle()).toBe(false);
    held.release();
    expect((await call).status).toBeLessThan(300);
    const before = await namespace.effects();
    await world('rail-restarted');
    expect(await namespace.effects()).toEqual(before);
  });

  test('lets a held request take effect although its sender is gone', async () => {
    const { namespace, act } = await open();
    const held = namespace.hold();
    const { endpoint, credentials, examples } = namespace;
    const { request } = examples(1);
    const isMerge = request.operation === 'merge';
    const path = isMerge ? 'pulls/1/merge' : 'issues/6/comments';
    const gone = new AbortController();
    const sent = fetch(
      `http://${endpoint.host}:${endpoint.port}/repos/${credentials.repository}/${path}`,
      {
        method: isMerge ? 'PUT' : 'POST',
        headers: { authorization: `token ${credentials.token}` },
        body: JSON.stringify(isMerge ? { sha: request.sha } : { body: request.body }),
        signal: gone.signal,
      },
    ).catch((error: Error) => error.name);
    await held.reached;
    gone.abort();
    expect(await sent).toBe('AbortError');
    expect(await namespace.effects()).toEqual([]);
    held.release();
    await expect.poll(() => namespace.idle()).toBe(true);
    expect(await namespace.effects()).toMatchObject([{ actor: 'subject' }]);
    expect(await act()).toBeDefined();
  });
});

test('a held merge is refused when the head has moved meanwhile, or somebody else was first', async () => {
  for (const [event, status] of [
    ['premise-changed', 409],
    ['done-by-hand', 405],
  ] as const) {
    const { namespace, world, act } = await openMerge();
    const held = namespace.hold();
    const call = act();
    await held.reached;
    await world(event);
    held.release();
    expect((await call).status).toBe(status);
    expect((await namespace.effects()).filter(({ actor }) => actor === 'subject')).toEqual([]);
  }
});

test('a restart disturbs nobody else on the rail', async () => {
  const rail = await createRail({ options: { operation: 'comment' } });
  try {
    const one = await rail.openNamespace('one');
    const two = await rail.openNamespace('two');
    const held = two.hold();
    const call = asking(two, two.credentials)('POST /issues/6/comments', { body: 'x' });
    await held.reached;
    await one.world('rail-restarted', {});
    expect(two.idle()).toBe(false);
    held.release();
    expect(await call).toMatchObject({ status: 201 });
  } finally {
    await rail.close();
  }
});
