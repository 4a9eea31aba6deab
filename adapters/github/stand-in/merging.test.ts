import { describe, expect, test } from 'vitest';
import { asking, headOf, mergeBody, openGitHub } from './testing/github.ts';

describe('a merge', () => {
  test('is a commit with two parents on the base branch, with our trailer at its end', async () => {
    const { namespace, subject, repository } = await openGitHub('merge');
    const { request } = namespace.examples(1);
    const before = (await subject('GET /pulls/1')).data;
    expect(before).toMatchObject({ state: 'open', merged: false, mergeable: true });
    expect(before.head.sha).toBe(request.sha);
    const merged = await subject('PUT /pulls/1/merge', mergeBody(before.head.sha));
    expect(merged).toMatchObject({
      status: 200,
      data: { merged: true, message: 'Pull Request successfully merged' },
    });
    const { sha } = merged.data;
    const commit = (await subject(`GET /commits/${sha}`)).data;
    expect(commit.parents.map((parent: { sha: string }) => parent.sha)).toEqual([
      before.base.sha,
      before.head.sha,
    ]);
    expect(commit.commit.message).toBe('Merge pull request #1 from change-1\n\nEffect-Id: ours');
    expect((await subject('GET /git/ref/heads/main')).data.object.sha).toBe(sha);
    expect(await namespace.effects()).toEqual([
      {
        entityId: sha,
        stamp: 'ours',
        actor: 'subject',
        subject: `${repository}#1`,
        substance: { sha: before.head.sha, method: 'merge' },
        atMs: expect.any(Number),
      },
    ]);
  });
});
