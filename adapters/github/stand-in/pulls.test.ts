import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openMerge, parentsOf } from './testing/merge.ts';

describe('a pull request', () => {
  test('says by status whether it is merged', async () => {
    const { subject, merge } = await openMerge();
    expect(await subject('GET /pulls/1/merge')).toMatchObject({ status: 404 });
    await merge();
    expect(await subject('GET /pulls/1/merge')).toMatchObject({ status: 204 });
  });

  test('has the commit of a test merge before it is merged, which is not on the base branch', async () => {
    const { subject, merge, sha: head } = await openMerge();
    const { merge_commit_sha: tested } = (await subject('GET /pulls/1')).data;
    const base = (await subject('GET /git/ref/heads/main')).data.object.sha;
    expect(await parentsOf(subject, tested)).toEqual([base, head]);
    expect(base).not.toBe(tested);
    const { sha } = (await merge()).data;
    expect(sha).not.toBe(tested);
    expect((await subject('GET /pulls/1')).data.merge_commit_sha).toBe(sha);
  });

  test('is of unknown mergeability for a while after a push, and shows an older test merge', async () => {
    const { subject, world } = await openMerge({ lagMs: 150 });
    const before = (await subject('GET /pulls/1')).data;
    await world('premise-changed');
    const pushed = (await subject('GET /pulls/1')).data;
    expect(pushed).toMatchObject({ mergeable: null, mergeable_state: 'unknown' });
    expect(pushed.merge_commit_sha).toBe(before.merge_commit_sha);
    expect(pushed.head.sha).not.toBe(before.head.sha);
    await sleep(160);
    const later = (await subject('GET /pulls/1')).data;
    expect(later).toMatchObject({ mergeable: true, mergeable_state: 'clean' });
    expect(await parentsOf(subject, later.merge_commit_sha)).toContain(pushed.head.sha);
  });

  test('is no longer changed by what is pushed once it is merged', async () => {
    const { subject, merge, world } = await openMerge();
    await merge();
    const before = (await subject('GET /pulls/1')).data;
    await world('premise-changed');
    expect((await subject('GET /git/ref/heads/change-1')).status).toBe(200);
    expect((await subject('GET /pulls/1')).data).toEqual(before);
  });

  test('is an issue too', async () => {
    const { subject, merge } = await openMerge();
    await merge();
    const { data } = await subject('GET /issues/1');
    expect(data).toMatchObject({ number: 1, state: 'closed', comments: 0 });
    expect(data.pull_request.merged_at).toEqual(expect.any(String));
  });
});

describe('a branch', () => {
  test('is deleted once, and never the default one', async () => {
    const { subject } = await openMerge();
    const remove = (branch: string) => subject(`DELETE /git/refs/heads/${branch}`);
    expect(await remove('change-2')).toMatchObject({ status: 204 });
    expect(await remove('change-2')).toMatchObject({
      status: 422,
      data: { message: 'Reference does not exist' },
    });
    expect(await remove('main')).toMatchObject({ status: 422 });
  });

  test('names its newest commit', async () => {
    const { subject, sha } = await openMerge();
    expect((await subject('GET /commits/change-1')).data.sha).toBe(sha);
    for (const name of ['nothing', '0'.repeat(40)]) {
      expect(await subject(`GET /commits/${name}`)).toMatchObject({
        status: 422,
        data: { message: `No commit found for SHA: ${name}` },
      });
    }
  });
});
