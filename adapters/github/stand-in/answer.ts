/** What GitHub says: a status and JSON. An error has words, which may change, and a link to its page. */
import type { ServedAnswer } from '../../whole-request-server.ts';

const docs = 'https://docs.github.com/rest';

export const pages = {
  rest: docs,
  merge: `${docs}/pulls/pulls#merge-a-pull-request`,
  comment: `${docs}/issues/comments#create-an-issue-comment`,
  issue: `${docs}/issues/issues#update-an-issue`,
  ref: `${docs}/git/refs#delete-a-reference`,
  commit: `${docs}/commits/commits#get-a-commit`,
  limits: `${docs}/overview/rate-limits-for-the-rest-api`,
};

export function answerJson(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): ServedAnswer {
  return {
    status,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  };
}

export function answerNothing(): ServedAnswer {
  return { status: 204, body: '', headers: {} };
}

export function answerError(
  status: number,
  message: string,
  page: string = pages.rest,
  headers: Readonly<Record<string, string>> = {},
): ServedAnswer {
  return answerJson(status, { message, documentation_url: page, status: `${status}` }, headers);
}

export function answerNotFound(page?: string): ServedAnswer {
  return answerError(404, 'Not Found', page);
}

export function answerBadCredentials(): ServedAnswer {
  return answerError(401, 'Bad credentials');
}

export function answerServerError(status: 500 | 502): ServedAnswer {
  return answerError(status, 'Server Error');
}

export interface Invalid {
  readonly resource: string;
  readonly field: string;
  readonly code: 'invalid' | 'missing_field';
}

export function answerInvalid(error: Invalid, page: string): ServedAnswer {
  return answerJson(422, {
    message: 'Validation Failed',
    errors: [error],
    documentation_url: page,
    status: '422',
  });
}
