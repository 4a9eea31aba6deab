/**
 * What an answer to an effect proves by its status and its shape alone. In: an answer, or that there
 * was none. Out: refused or unknown. "Refused" needs GitHub's own voice: a documented status *and* an
 * error of its shape; the same status from something in between says nothing of what happened behind it.
 */
import { NoAnswerError } from '../single-send.ts';
import type { ApplyResult, UnknownCause } from '../target.ts';
import type { Reply } from './client.ts';
import { readFailure } from './readings.ts';

/** Statuses that GitHub documents as refusals, and whether a person can lift them. */
const refusals: Readonly<Record<number, 'for-now' | 'for-good'>> = {
  400: 'for-good',
  401: 'for-now',
  // Permissions, limits, a locked issue.
  403: 'for-now',
  // It stands for 403 where the token may not even know that something is there.
  404: 'for-now',
  410: 'for-good',
  422: 'for-good',
  429: 'for-now',
};

export function classifyFailure(reply: Reply): ApplyResult {
  const { status } = reply;
  const message = readFailure(reply);
  if (message === null) {
    return unknown(
      status >= 500 ? 'server-error' : 'unreadable',
      `expected what was made or an error of GitHub's, came status ${status} with neither`,
    );
  }
  const said = `${status}: ${message}`;
  const refusal = refusals[status];
  return refusal === undefined
    ? unknown('server-error', said)
    : { kind: 'refused', reason: said, mendable: refusal === 'for-now' };
}

/** Rethrows what is not about an answer. */
export function classifyNoAnswer(error: unknown): ApplyResult {
  if (!(error instanceof NoAnswerError)) throw error;
  const { kind, message, status } = error;
  // A 5xx is the server's failure, whatever came with it.
  return unknown(status !== null && status >= 500 ? 'server-error' : kind, message);
}

/** Never sent, hence provably without effect. */
export function refusedUnsent(reason: string): ApplyResult {
  return { kind: 'refused', reason: `Nothing was sent: ${reason}`, mendable: false };
}

export function unknown(cause: UnknownCause, detail: string): ApplyResult {
  return { kind: 'unknown', cause, detail };
}

/** What is said of an answer that was asked for to learn something, and does not tell it. */
export function describeReply(reply: Reply): string {
  const message = readFailure(reply);
  return message === null ? `status ${reply.status} without it` : `${reply.status}: ${message}`;
}
