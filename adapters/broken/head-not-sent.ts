/** Stands in for `github/merge-call.ts`: whatever the head is by then is merged. */
import type { GitHubRequest } from '../github/client.ts';
import { mergeCallOf as soundMergeCallOf } from '../github/merge-call.ts';

export * from '../github/merge-call.ts';

export function mergeCallOf(...call: Parameters<typeof soundMergeCallOf>): GitHubRequest {
  const { route, parameters } = soundMergeCallOf(...call);
  const { sha: _, ...unguarded } = parameters;
  return { route, parameters: unguarded };
}
