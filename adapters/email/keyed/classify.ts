/**
 * What an answer of the service proves. In: a status and a body. Out: landed, refused or unknown.
 * "Refused" needs the service's own voice: a documented status *and* an error of its shape. The same
 * status from something in between says nothing of what happened behind it.
 */
import { isRecord, type Reply } from '../../json-reply.ts';
import type { NoAnswerError } from '../../single-send.ts';
import type { ApplyResult } from '../../target.ts';
import { stampOfTags } from './stamp.ts';

/** The answer to a send carries an id and nothing of the mail. */
export type Sent = ApplyResult | { readonly kind: 'accepted'; readonly id: string };

export function classifySend({ status, body }: Reply): Sent {
  const id = isRecord(body) && typeof body.id === 'string' ? body.id : '';
  if (status === 200 && id !== '') return { kind: 'accepted', id };
  const failure = readFailure(status, body);
  if (failure === null) {
    return unknown(
      status >= 500 ? 'server-error' : 'unreadable',
      `expected an id or an error of the service, came status ${status} with neither`,
    );
  }
  const said = `${status} ${failure.name}: ${failure.message}`;
  switch (status) {
    case 401:
    case 403:
    case 429:
      return { kind: 'refused', reason: said, mendable: true };
    case 400:
    case 404:
    case 405:
    case 422:
      return { kind: 'refused', reason: said, mendable: false };
    case 409:
      return classifyConflict(failure.name, said);
    default:
      return unknown('server-error', said);
  }
}

/** What the mail shows under the id that came back: whose it is. */
export function classifyReading({ status, body }: Reply, id: string): ApplyResult {
  if (status === 200 && isRecord(body) && body.id === id) {
    return { kind: 'landed', entityId: id, stamp: stampOfTags(body.tags) };
  }
  const failure = readFailure(status, body);
  const said = failure === null ? `status ${status}` : `${status} ${failure.name}`;
  return unknown(
    failure === null && status < 500 ? 'unreadable' : 'server-error',
    `it was accepted as ${id}, and whose mail that is could not be read: ${said}${
      failure === null ? '' : `: ${failure.message}`
    }`,
  );
}

export function classifyNoAnswer({ kind, message, status }: NoAnswerError): ApplyResult {
  // A 5xx is the server's failure, whatever came with it.
  return unknown(status !== null && status >= 500 ? 'server-error' : kind, message);
}

/** Never sent, hence provably without effect. */
export function refusedUnsent(reason: string): ApplyResult {
  return { kind: 'refused', reason: `Nothing was sent: ${reason}`, mendable: false };
}

function classifyConflict(name: string, said: string): ApplyResult {
  switch (name) {
    case 'concurrent_idempotent_requests':
      return unknown('in-flight', said);
    case 'invalid_idempotent_request': {
      const reason = `The key was first used with another mail; this request did nothing, the first may have. ${said}`;
      return { kind: 'refused', reason, mendable: false };
    }
    default:
      return unknown('server-error', said);
  }
}

function readFailure(
  status: number,
  body: unknown,
): { readonly name: string; readonly message: string } | null {
  if (!isRecord(body) || body.statusCode !== status) return null;
  const { name, message } = body;
  return typeof name === 'string' && typeof message === 'string' ? { name, message } : null;
}

type UnknownResult = Extract<ApplyResult, { kind: 'unknown' }>;

function unknown(cause: UnknownResult['cause'], detail: string): UnknownResult {
  return { kind: 'unknown', cause, detail };
}
