/** A repository in which the first pull request is to be merged. */
import { type Ask, headOf, mergeBody, openGitHub } from './github.ts';

export async function parentsOf(ask: Ask, sha: string): Promise<readonly string[]> {
  const { parents } = (await ask(`GET /commits/${sha}`)).data;
  return parents.map((parent: { readonly sha: string }) => parent.sha);
}

export async function openMerge(options = {}) {
  const opened = await openGitHub('merge', options);
  const sha = await headOf(opened.subject, 1);
  return {
    ...opened,
    sha,
    merge: (method = 'merge', key = 'ours') =>
      opened.subject('PUT /pulls/1/merge', mergeBody(sha, key, method)),
    world: (event: Parameters<typeof opened.namespace.world>[0], pullNumber = 1) =>
      opened.namespace.world(event, { pullNumber }),
  };
}
