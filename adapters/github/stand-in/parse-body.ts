/** The bodies GitHub reads. In: text. Out: what it asks for, or the answer that refuses it. */
import type { ServedAnswer } from '../../whole-request-server.ts';
import { answerError, answerInvalid, pages } from './answer.ts';

export type Parsed<T> =
  | { readonly kind: 'valid'; readonly value: T }
  | { readonly kind: 'refused'; readonly answer: ServedAnswer };

const mergeMethods = ['merge', 'squash', 'rebase'] as const;
export type MergeMethod = (typeof mergeMethods)[number];

export interface MergeBody {
  readonly title: string | null;
  readonly message: string | null;
  /** The head that may be merged; null: whatever it is. */
  readonly sha: string | null;
  readonly method: MergeMethod;
}

/** GitHub takes no more. */
const maxCommentLength = 65_536;

export function parseMerge(text: string): Parsed<MergeBody> {
  const invalid = (field: string) =>
    refused(answerInvalid({ resource: 'PullRequest', field, code: 'invalid' }, pages.merge));
  const fields = parseFields(text);
  if (fields.kind === 'refused') return fields;
  const { commit_title: title, commit_message: message, sha, merge_method: method } = fields.value;
  if (!isOptionalText(title)) return invalid('commit_title');
  if (!isOptionalText(message)) return invalid('commit_message');
  if (!isOptionalText(sha)) return invalid('sha');
  const known = method === undefined ? 'merge' : mergeMethods.find((name) => name === method);
  if (known === undefined) return invalid('merge_method');
  return valid({ title: title ?? null, message: message ?? null, sha: sha ?? null, method: known });
}

export function parseComment(text: string): Parsed<string> {
  const error = { resource: 'IssueComment', field: 'body' } as const;
  const fields = parseFields(text);
  if (fields.kind === 'refused') return fields;
  const { body } = fields.value;
  if (typeof body !== 'string' || body.trim() === '') {
    return refused(answerInvalid({ ...error, code: 'missing_field' }, pages.comment));
  }
  return body.length > maxCommentLength
    ? refused(answerInvalid({ ...error, code: 'invalid' }, pages.comment))
    : valid(body);
}

export function parseTitle(text: string): Parsed<string> {
  const fields = parseFields(text);
  if (fields.kind === 'refused') return fields;
  const { title } = fields.value;
  return typeof title === 'string' && title.trim() !== ''
    ? valid(title)
    : refused(
        answerInvalid({ resource: 'Issue', field: 'title', code: 'missing_field' }, pages.issue),
      );
}

/** No body is one without fields. */
function parseFields(text: string): Parsed<Readonly<Record<string, unknown>>> {
  try {
    const body: unknown = JSON.parse(text === '' ? '{}' : text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
      return valid(body as Readonly<Record<string, unknown>>);
    }
  } catch {
    return refused(answerError(400, 'Problems parsing JSON'));
  }
  return refused(answerError(400, 'Body should be a JSON object'));
}

function isOptionalText(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || typeof value === 'string';
}

function valid<T>(value: T): { readonly kind: 'valid'; readonly value: T } {
  return { kind: 'valid', value };
}

function refused(answer: ServedAnswer): {
  readonly kind: 'refused';
  readonly answer: ServedAnswer;
} {
  return { kind: 'refused', answer };
}
