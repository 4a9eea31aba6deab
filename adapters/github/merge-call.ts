/** The one request that merges. */
import type { GitHubRequest } from './client.ts';
import type { MergeRequest } from './request.ts';
import { trailerOf } from './stamp.ts';

/** With `sha` GitHub merges what was reviewed and refuses anything pushed since. */
export function mergeCallOf(
  { pullNumber, sha, method, title }: MergeRequest,
  key: string,
): GitHubRequest {
  return {
    route: 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge',
    parameters: {
      pull_number: pullNumber,
      sha,
      merge_method: method,
      commit_message: trailerOf(key),
      ...(title !== null && { commit_title: title }),
    },
  };
}
