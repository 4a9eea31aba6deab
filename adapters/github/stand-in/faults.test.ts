import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { RailFault } from '../../rail.ts';
import { type Answered, mergeBody, type OpenGitHub, openGitHub } from './testing/github.ts';

const lagMs = 150;

async function openMerge() {
  const opened = await openGitHub('merge', { lagMs });
  const { request } = opened.namespace.examples(1);
  const body = mergeBody(String(request.sha));
  return {
    ...opened,
    merge: () => opened.subject('PUT /pulls/1/merge', body),
    look: () => opened.subject('GET /pulls/1'),
  };
}

async function openComment() {
  const opened = await openGitHub('comment', { lagMs });
  const post = (ask = opened.subject) =>
    ask('POST /issues/6/comments', { body: 'Approved.\n\n<!-- effect-id: ours -->' });
  const look = (ask = opened.subject, query = '') => ask(`GET /issues/6/comments${query}`);
  return { ...opened, post, look };
}

const ofEither = [
  ['merge', openMerge],
  ['comment', openComment],
] as const;

/** How either operation is done and looked for. */
async function openEither(open: typeof openMerge | typeof openComment) {
  const opened = await open();
  const act = 'merge' in opened ? opened.merge : opened.post;
  return { ...opened, act: () => act(), look: () => opened.look() };
}

describe.each(ofEither)('a %s', (operation, open) => {
  test('can go wrong in what a wire can’t do, and stale only with a lag', async () => {
    const { namespace, arm } = await open();
    const paged = operation === 'comment' ? ['paged'] : [];
    const kinds = ['turned-down', 'half-done', 'lookup-error', 'stale-read', ...paged];
    expect(namespace.can).toEqual(kinds);
    expect(() => arm({ kind: 'stored-error', landed: true })).toThrow(/came stored-error/);
    const { namespace: prompt } = await openGitHub(operation);
    expect(prompt.can).not.toContain('stale-read');
  });

  test('turned down for now or for good is refused once, without effect', async () => {
    const { namespace, act, arm, firedTimes } = await openEither(open);
    const words = {
      merge: [405, /^Base branch was modified/, 422, /Validation Failed/],
      comment: [403, /secondary rate limit/, 410, /deleted/],
    } as const;
    const [statusNow, saidNow, statusEver, saidEver] = words[operation];
    for (const [forGood, status, said] of [
      [false, statusNow, saidNow],
      [true, statusEver, saidEver],
    ] as const) {
      arm({ kind: 'turned-down', forGood });
      const answer = await act();
      expect(answer).toMatchObject({ status, data: { message: expect.stringMatching(said) } });
      expect(answer.headers['retry-after']).toBeUndefined();
    }
    expect(firedTimes()).toBe(2);
    expect(await namespace.effects()).toEqual([]);
    expect((await act()).status).toBeLessThan(300);
  });

  test('half done takes effect, is answered 502 and tells nobody', async () => {
    const { namespace, subject, act, arm, firedTimes } = await openEither(open);
    arm({ kind: 'half-done' });
    expect(await act()).toMatchObject({ status: 502, data: { message: 'Server Error' } });
    expect(firedTimes()).toBe(1);
    expect(await namespace.effects()).toMatchObject([{ actor: 'subject', stamp: 'ours' }]);
    expect(namespace.webhooks()).toEqual([]);
    expect((await subject('GET /git/ref/heads/change-1')).status).toBe(200);
  });

  test('half done waits for one that takes effect', async () => {
    const { subject, act, arm, firedTimes } = await openEither(open);
    arm({ kind: 'half-done' });
    await subject('PUT /pulls/5/merge', {});
    await subject('POST /issues/77/comments', { body: 'x' });
    expect(firedTimes()).toBe(0);
    expect(await act()).toMatchObject({ status: 502 });
  });

  test.each([401, 429, 500, 'empty-claims-more'] as const)(
    'is looked for in vain once, with %s',
    async (how) => {
      const { act, look, arm, firedTimes } = await openEither(open);
      arm({ kind: 'lookup-error', how });
      expect((await act()).status).toBeLessThan(300);
      expect(firedTimes()).toBe(0);
      if (how === 'empty-claims-more' && operation === 'merge') {
        // One pull request is no list: what comes is nothing that GitHub describes.
        await expect(look()).rejects.toThrow(/body must be object/);
      } else if (how === 'empty-claims-more') {
        const failed = await look();
        expect(failed).toMatchObject({ status: 200, data: [] });
        expect(failed.headers.link).toMatch(/rel="next"/);
      } else expect((await look()).status).toBe(how);
      expect(firedTimes()).toBe(1);
      expect((await look()).status).toBe(200);
    },
  );

  test('is refused in each shape of the limits, and where it is forbidden', async () => {
    const { namespace, act, arm } = await openEither(open);
    const shapes = (['primary', 'secondary'] as const).flatMap((limit) =>
      ([403, 429] as const).flatMap((status) =>
        [null, 60].map((retryAfterS) => ({ limit, status, retryAfterS })),
      ),
    );
    for (const { limit, status, retryAfterS } of shapes) {
      arm({ kind: 'limited', limit, status, retryAfterS });
      const { headers, ...answer }: Answered = await act();
      expect(answer.status).toBe(status);
      expect(headers['retry-after']).toBe(retryAfterS === null ? undefined : `${retryAfterS}`);
      expect(headers['x-ratelimit-remaining'] === '0').toBe(limit === 'primary');
      expect(answer.data.message).toMatch(
        limit === 'primary' ? /rate limit exceeded/ : /secondary/,
      );
    }
    arm({ kind: 'forbidden' });
    expect(await act()).toMatchObject({ status: 403 });
    expect(await namespace.effects()).toEqual([]);
  });
});

describe('people', () => {
  test('meet no fault', async () => {
    const { namespace, person, arm, firedTimes } = await openMerge();
    const faults: readonly RailFault[] = [
      { kind: 'turned-down', forGood: true },
      { kind: 'half-done' },
      { kind: 'lookup-error', how: 500 },
      { kind: 'stale-read' },
    ];
    for (const fault of faults) arm(fault);
    namespace.hold();
    expect(await person('PUT /pulls/1/merge')).toMatchObject({ status: 200 });
    expect((await person('GET /pulls/1')).data.merged).toBe(true);
    expect(firedTimes()).toBe(0);
  });
});

describe('a stale read', () => {
  test('shows a merge only once the lag has passed', async () => {
    const { merge, look, subject, person, arm } = await openMerge();
    const before = (await look()).data;
    arm({ kind: 'stale-read' });
    await merge();
    const shown = (await look()).data;
    const { state, merged, merged_at, closed_at, merged_by, merge_commit_sha } = shown;
    expect({ state, merged, merged_at, closed_at, merged_by, merge_commit_sha }).toEqual({
      state: 'open',
      merged: false,
      merged_at: null,
      closed_at: null,
      merged_by: null,
      merge_commit_sha: before.merge_commit_sha,
    });
    expect(await subject('GET /pulls/1/merge')).toMatchObject({ status: 404 });
    expect((await person('GET /pulls/1')).data.merged).toBe(true);
    await sleep(lagMs);
    expect((await look()).data.merged).toBe(true);
    expect(await subject('GET /pulls/1/merge')).toMatchObject({ status: 204 });
  });

  test('of a list is behind the count of its issue', async () => {
    const { subject, person, post, look, arm } = await openComment();
    arm({ kind: 'stale-read' });
    await post();
    expect((await look()).data).toEqual([]);
    expect((await subject('GET /issues/6')).data.comments).toBe(1);
    expect((await look(person)).data).toHaveLength(1);
    await sleep(lagMs);
    expect((await look()).data).toHaveLength(1);
  });
});

describe('a crowded list', () => {
  const isOurs = ({ body }: { readonly body: string }) => body.includes('effect-id: ours');

  async function pagesOf(
    { look }: Awaited<ReturnType<typeof openComment>>,
    ask?: OpenGitHub['subject'],
  ) {
    const pages: Answered[] = [];
    for (let page = 1; ; page += 1) {
      const answer = await look(ask, `?per_page=3&page=${page}`);
      pages.push(answer);
      if (!/rel="next"/.test(String(answer.headers.link))) return pages.map(({ data }) => data);
    }
  }

  test('has ours on a later page, behind others of equal text without a marker', async () => {
    const opened = await openComment();
    await opened.post();
    opened.arm({ kind: 'paged', lookAlikes: 3, changes: false });
    const [first, second, ...others] = await pagesOf(opened);
    expect(others).toEqual([]);
    expect(first).toHaveLength(3);
    for (const { body, user } of first) {
      expect(body).toBe('Approved.');
      expect(user.login).toMatch(/^person-/);
    }
    expect(second.filter(isOurs)).toHaveLength(1);
    expect(await pagesOf(opened)).toEqual([first, second]);
    const journal = await opened.namespace.effects();
    expect(journal.filter(({ actor }) => actor === 'person')).toHaveLength(3);
  });

  test('that changes once loses one on the first page before the second is read', async () => {
    const opened = await openComment();
    await opened.post();
    opened.arm({ kind: 'paged', lookAlikes: 3, changes: true });
    expect((await pagesOf(opened)).flat().filter(isOurs)).toEqual([]);
    expect((await opened.subject('GET /issues/6')).data.comments).toBe(4);
    expect((await pagesOf(opened)).flat().filter(isOurs)).toHaveLength(1);
  });

  test('is crowded too where nothing of ours is there', async () => {
    const opened = await openComment();
    opened.arm({ kind: 'paged', lookAlikes: 3, changes: false });
    expect((await pagesOf(opened)).flat()).toHaveLength(3);
    expect(await opened.namespace.effects()).toMatchObject([{}, {}, {}]);
  });
});
