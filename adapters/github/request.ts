/**
 * What a gate may ask for: a merge of a pull request at a reviewed head, or a comment on an issue. In:
 * the JSON of a request. Out: a checked one or an InvalidRequestError, which says what was expected,
 * what came and what to do.
 */
import { RequestFields } from '../request-fields.ts';
import type { JsonObject } from '../target.ts';

export interface MergeRequest {
  readonly pullNumber: number;
  /** The head that was reviewed: nothing else is ever merged. */
  readonly sha: string;
  readonly method: MergeMethod;
  readonly title: string | null;
}

const methods = ['merge', 'squash'] as const;
export type MergeMethod = (typeof methods)[number];

export interface CommentRequest {
  readonly issueNumber: number;
  readonly body: string;
}

/** `distinct` names the approval; the gate puts it into the decision's key, GitHub never sees it. */
const mergeNames = ['operation', 'pullNumber', 'sha', 'method', 'title', 'distinct'];
const commentNames = ['operation', 'issueNumber', 'body', 'distinct'];

/** GitHub takes 65,536 characters; the rest is for the stamp. */
const longestBody = 65_000;

export function parseMergeRequest(request: JsonObject): MergeRequest {
  const fields = new RequestFields('Merge request', request, mergeNames);
  fields.operation('merge', 'This target merges pull requests only');
  fields.distinct();
  return {
    pullNumber: readNumber(fields, 'pullNumber', 'Pass the number of the pull request to merge'),
    sha: fields.text('sha', /^[0-9a-f]{40}$/, {
      expected: 'the 40 hexadecimal digits of the head that was reviewed',
      todo: 'Pass the whole id of the commit',
    }),
    method: readMethod(fields),
    title:
      fields.get('title') === undefined
        ? null
        : fields.text('title', /^\S[^\r\n]*$/, {
            expected: 'one line of text or no field',
            todo: "Leave it out for GitHub's own",
          }),
  };
}

export function parseCommentRequest(request: JsonObject): CommentRequest {
  const fields = new RequestFields('Comment request', request, commentNames);
  fields.operation('comment', 'This target writes comments only');
  fields.distinct();
  const body = fields.text('body', /\S/, {
    expected: 'a text that says something',
    todo: 'Pass what is to be written',
  });
  if (body.length > longestBody) {
    throw fields.invalid(
      'body',
      `at most ${longestBody} characters long`,
      'Shorten it, or link to the rest',
    );
  }
  return {
    issueNumber: readNumber(fields, 'issueNumber', 'Pass the number of the issue to comment on'),
    body,
  };
}

function readNumber(fields: RequestFields, field: string, todo: string): number {
  const value = fields.get(field);
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw fields.invalid(field, 'a positive integer', todo);
}

function readMethod(fields: RequestFields): MergeMethod {
  const value = fields.get('method');
  const method = methods.find((known) => known === value);
  if (method !== undefined) return method;
  if (value === 'rebase') {
    throw fields.invalid(
      'method',
      "'merge' or 'squash'",
      'A rebase leaves no commit of its own whose message could carry a stamp, so that nobody could tell it from another’s; choose merge or squash',
    );
  }
  throw fields.invalid('method', `one of ${methods.join(', ')}`, 'Say how it is to be merged');
}
