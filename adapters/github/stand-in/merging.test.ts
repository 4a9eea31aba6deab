import { describe, expect, test } from 'vitest';
import { headOf, mergeBody } from './testing/github.ts';
import { openMerge, parentsOf } from './testing/merge.ts';

const notMergeable = { status: 405, data: { message: 'Pull Request is not mergeable' } };

describe('a merge', () => {
  test('is a commit with two parents on the base branch, with our trailer at its end', async () => {
    const { namespace, subject, repository, merge } = await openMerge();
    const { request } = namespace.examples(1);
    const before = (await subject('GET /pulls/1')).data;
    expect(before).toMatchObject({ state: 'open', merged: false, mergeable: true });
    expect(before.head.sha).toBe(request.sha);
    const merged = await merge();
    expect(merged).toMatchObject({
      status: 200,
      data: { merged: true, message: 'Pull Request successfully merged' },
    });
    const { sha } = merged.data;
    expect(await parentsOf(subject, sha)).toEqual([before.base.sha, before.head.sha]);
    expect((await subject(`GET /commits/${sha}`)).data.commit.message).toBe(
      'Merge pull request #1 from change-1\n\nEffect-Id: ours',
    );
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

  test('squashed is one commit with one parent, which carries our trailer and its author’s name', async () => {
    const { namespace, subject, sha: head, merge } = await openMerge();
    const base = (await subject('GET /git/ref/heads/main')).data.object.sha;
    const { sha } = (await merge('squash')).data;
    expect(await parentsOf(subject, sha)).toEqual([base]);
    const { author, committer, commit } = (await subject(`GET /commits/${sha}`)).data;
    expect(commit.message).toBe('Change 1 (#1)\n\nEffect-Id: ours');
    expect(author.login).toBe('octo-author');
    expect(committer.login).toMatch(/^subject-/);
    expect(await namespace.effects()).toMatchObject([
      {
        entityId: sha,
        stamp: 'ours',
        actor: 'subject',
        substance: { sha: head, method: 'squash' },
      },
    ]);
  });

  test('squashed without words of ours lists what it was made of', async () => {
    const { subject, world } = await openMerge();
    await world('premise-changed');
    const sha = await headOf(subject, 1);
    const merged = await subject('PUT /pulls/1/merge', { sha, merge_method: 'squash' });
    const { commit } = (await subject(`GET /commits/${merged.data.sha}`)).data;
    expect(commit.message).toBe('Change 1 (#1)\n\n* one.txt\n\n* change-1.txt');
  });

  test('rebased puts each commit on top with its own words: ours are nowhere, and no stamp', async () => {
    const { namespace, subject, world } = await openMerge();
    await world('premise-changed');
    await world('unrelated-change');
    const other = await headOf(subject, 2);
    await subject('PUT /pulls/2/merge', mergeBody(other, 'other'));
    const base = (await subject('GET /git/ref/heads/main')).data.object.sha;
    const head = await headOf(subject, 1);
    const { sha } = (await subject('PUT /pulls/1/merge', mergeBody(head, 'ours', 'rebase'))).data;
    const [parent = ''] = await parentsOf(subject, sha);
    expect(await parentsOf(subject, parent)).toEqual([base]);
    const { commit } = (await subject(`GET /commits/${sha}`)).data;
    expect(commit.message).toBe('change-1.txt');
    expect((await namespace.effects()).at(-1)).toMatchObject({
      entityId: sha,
      stamp: null,
      actor: 'subject',
      substance: { sha: head, method: 'rebase' },
    });
  });

  test('takes title and message as they are given', async () => {
    const { subject, sha } = await openMerge();
    const body = { sha, commit_title: 'A title', commit_message: '' };
    const merged = await subject('PUT /pulls/1/merge', body);
    expect((await subject(`GET /commits/${merged.data.sha}`)).data.commit.message).toBe('A title');
  });

  test('without a head takes whatever is there', async () => {
    const { subject, world } = await openMerge();
    await world('premise-changed');
    expect(await subject('PUT /pulls/1/merge')).toMatchObject({ status: 200 });
  });

  test('deletes the branch and tells the others', async () => {
    const { namespace, subject, merge } = await openMerge();
    const ref = 'GET /git/ref/heads/change-1';
    expect(await subject(ref)).toMatchObject({ status: 200 });
    const { sha } = (await merge()).data;
    expect(await subject(ref)).toMatchObject({ status: 404 });
    expect(namespace.webhooks()).toMatchObject([
      { event: 'push', payload: { ref: 'refs/heads/main', after: sha } },
      { event: 'pull_request', payload: { action: 'closed', number: 1, merged: true } },
      { event: 'delete', payload: { ref: 'change-1' } },
    ]);
  });
});

describe('a merge is refused', () => {
  test('with 409 where the head is not the one that was reviewed', async () => {
    const { namespace, subject, merge, world } = await openMerge();
    await world('premise-changed');
    expect(await merge()).toMatchObject({
      status: 409,
      data: { message: 'Head branch was modified. Review and try the merge again.' },
    });
    expect((await subject('GET /pulls/1')).data.merged).toBe(false);
    expect(await namespace.effects()).toEqual([]);
  });

  test('with 405 where it was done before, whoever did it', async () => {
    const { namespace, subject, person, merge } = await openMerge();
    await merge();
    expect(await merge('merge', 'again')).toMatchObject(notMergeable);
    const head = await headOf(person, 2);
    const byHand = await person('PUT /pulls/2/merge', { sha: head });
    expect(await subject('PUT /pulls/2/merge', mergeBody(head))).toMatchObject(notMergeable);
    const { merged, merged_by, merge_commit_sha } = (await subject('GET /pulls/2')).data;
    expect({ merged, merge_commit_sha }).toEqual({
      merged: true,
      merge_commit_sha: byHand.data.sha,
    });
    expect(merged_by.login).toMatch(/^person-/);
    expect(await namespace.effects()).toMatchObject([
      { actor: 'subject', stamp: 'ours' },
      { actor: 'person', stamp: null, substance: { method: 'merge' } },
    ]);
  });

  test('with 405 where it conflicts, and GitHub has found that out', async () => {
    const { subject } = await openMerge();
    const [two, four] = [await headOf(subject, 2), await headOf(subject, 4)];
    await subject('PUT /pulls/2/merge', mergeBody(two));
    expect((await subject('GET /pulls/4')).data).toMatchObject({
      mergeable: false,
      mergeable_state: 'dirty',
    });
    expect(await subject('PUT /pulls/4/merge', mergeBody(four))).toMatchObject(notMergeable);
  });

  test('with 405 where it is a draft or closed', async () => {
    const { subject, merge } = await openMerge();
    const draft = await headOf(subject, 5);
    expect(await subject('PUT /pulls/5/merge', mergeBody(draft))).toMatchObject({
      status: 405,
      data: { message: 'Pull Request is still a draft' },
    });
    await subject('DELETE /git/refs/heads/change-1');
    expect((await subject('GET /pulls/1')).data).toMatchObject({ state: 'closed', merged: false });
    expect(await merge()).toMatchObject(notMergeable);
  });

  test('with 405 while another is merging it', async () => {
    const { namespace, merge } = await openMerge();
    // What is asked for first is read first, so that the first merge is still waiting when the second comes.
    const readings = Array.from({ length: 200 }, () => namespace.effects());
    const answers = await Promise.all([merge('merge', 'one'), merge('squash', 'other')]);
    await Promise.all(readings);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 405]);
    expect(answers.find(({ status }) => status === 405)?.data.message).toBe(
      'Merge already in progress',
    );
    expect(await namespace.effects()).toHaveLength(1);
  });

  test.each([{ merge_method: 'octopus' }, { commit_message: 7 }, { sha: 7 }])(
    'with 422 for %o',
    async (body) => {
      const { subject } = await openMerge();
      expect(await subject('PUT /pulls/1/merge', body)).toMatchObject({
        status: 422,
        data: { message: 'Validation Failed' },
      });
    },
  );

  test('with 404 where there is no such pull request', async () => {
    const { subject } = await openMerge();
    expect(await subject('PUT /pulls/77/merge')).toMatchObject({ status: 404 });
    expect(await subject('GET /pulls/77')).toMatchObject({ status: 404 });
    expect(await subject('PUT /pulls/6/merge')).toMatchObject({ status: 404 });
  });
});
