/**
 * What GitHub itself can do wrong; whatever a wire can do is left to the wire. Beyond what any rail may
 * do there are its refusals of any request that writes: a forbidden one, and the four shapes of its
 * limits.
 */
import { meetingsOf } from '../../armed-faults.ts';
import type { RailFault } from '../../rail.ts';
import type { ServedAnswer } from '../../whole-request-server.ts';
import {
  answerBadCredentials,
  answerError,
  answerInvalid,
  answerServerError,
  pages,
} from './answer.ts';

export type Operation = 'merge' | 'comment';

type GitHubRefusal =
  | { readonly kind: 'forbidden' }
  | {
      readonly kind: 'limited';
      readonly limit: 'primary' | 'secondary';
      readonly status: 403 | 429;
      /** GitHub leaves it out at times; null: it does now. */
      readonly retryAfterS: number | null;
    };

export type GitHubFault = RailFault | GitHubRefusal;

export function isGitHubRefusal(fault: GitHubFault): fault is GitHubRefusal {
  return fault.kind === 'forbidden' || fault.kind === 'limited';
}

export function gitHubMeetingsOf(fault: GitHubFault): number {
  return isGitHubRefusal(fault) ? 1 : meetingsOf(fault);
}

/** Without a lag nothing is stale; a pull request has no pages. */
export function gitHubFaultsOf(operation: Operation, lagMs: number): readonly RailFault['kind'][] {
  return [
    'turned-down',
    'half-done',
    'lookup-error',
    ...(lagMs === 0 ? [] : (['stale-read'] as const)),
    ...(operation === 'comment' ? (['paged'] as const) : []),
  ];
}

type Refusal = GitHubRefusal | Extract<RailFault, { readonly kind: 'turned-down' }>;

export function answerRefusal(fault: Refusal, operation: Operation): ServedAnswer {
  switch (fault.kind) {
    case 'forbidden':
      return answerError(403, 'Resource not accessible by personal access token');
    case 'limited':
      return answerLimited(fault);
    case 'turned-down':
      return operation === 'merge' ? refuseMerge(fault.forGood) : refuseComment(fault.forGood);
    default:
      return fault satisfies never;
  }
}

/** `empty-claims-more` is told by who knows what a page looks like. */
export function answerLookupError(how: 401 | 429 | 500): ServedAnswer {
  switch (how) {
    case 401:
      return answerBadCredentials();
    case 429:
      return answerSecondary(429);
    case 500:
      return answerServerError(500);
    default:
      return how satisfies never;
  }
}

function refuseMerge(forGood: boolean): ServedAnswer {
  return forGood
    ? answerInvalid({ resource: 'PullRequest', field: 'sha', code: 'invalid' }, pages.merge)
    : answerError(405, 'Base branch was modified. Review and try the merge again.', pages.merge);
}

/** An issue that was deleted never comes back. */
function refuseComment(forGood: boolean): ServedAnswer {
  return forGood ? answerError(410, 'This issue was deleted', pages.comment) : answerSecondary(403);
}

type Limited = Extract<GitHubRefusal, { readonly kind: 'limited' }>;

function answerLimited({ limit, status, retryAfterS }: Limited): ServedAnswer {
  const after: Readonly<Record<string, string>> =
    retryAfterS === null ? {} : { 'retry-after': `${retryAfterS}` };
  if (limit === 'secondary') return answerSecondary(status, after);
  const message = 'API rate limit exceeded for user.';
  return answerError(status, message, pages.limits, { ...after, 'x-ratelimit-remaining': '0' });
}

function answerSecondary(
  status: 403 | 429,
  headers: Readonly<Record<string, string>> = {},
): ServedAnswer {
  const message =
    'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
  return answerError(status, message, pages.limits, headers);
}
