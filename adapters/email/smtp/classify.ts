/**
 * What the end of an SMTP conversation proves. In: how it ended. Out: landed, refused or unknown.
 *
 * A reply to the message is read only after its dot was sent: 2yz means the server has taken it over
 * (RFC 5321 4.2.5), 4yz and 5yz that it has not (4.2.1). The reply came on a connection that carried
 * this message and no other, so it speaks of it although it does not name it. Everything else that
 * happens after the dot proves nothing: nodemailer reports a connection lost before it and after it in
 * the same words, so its error codes alone are never believed there.
 */
import type { ApplyResult } from '../../target.ts';
import type { Ending } from './send-once.ts';

export interface Sent {
  readonly key: string;
  readonly messageId: string;
}

export function classifyEnding(
  { dotSent, how }: Omit<Ending, 'how'> & { readonly how: Settled },
  { key, messageId }: Sent,
): ApplyResult {
  switch (how.kind) {
    case 'accepted': {
      const { reply, serverMessageId } = how;
      if (!dotSent || !/^2\d\d(?: |$)/.test(lastLineOf(reply))) {
        return unknown('unreadable', `expected a reply to the message, came ${reply}`);
      }
      const entityId = queueIdOf(reply) ?? serverMessageId ?? messageId;
      return { kind: 'landed', entityId, stamp: key };
    }
    case 'late':
      return unknown('timeout', 'no whole answer in time');
    case 'failed':
      return classifyFailure(how.error, dotSent);
    default:
      return how satisfies never;
  }
}

type Settled = Exclude<Ending['how'], { readonly kind: 'stopped' }>;

/** What nodemailer says of a failure. */
interface Failure extends Error {
  readonly code?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

function classifyFailure(error: Failure, dotSent: boolean): ApplyResult {
  const { code = '', responseCode, response, message } = error;
  if (!saysRefusal(code, dotSent)) {
    const cause = code === 'ETIMEDOUT' ? 'timeout' : 'connection';
    return unknown(cause, `${code} ${message}`);
  }
  if (response === undefined) {
    // Refused by nodemailer itself; what it could not follow (EPROTOCOL) says nothing.
    return code !== 'EPROTOCOL' && !dotSent
      ? { kind: 'refused', reason: `Nothing was sent: ${message}`, mendable: code === 'EAUTH' }
      : unknown('unreadable', message);
  }
  // nodemailer takes any number at the beginning of a line for a code.
  if (responseCode === undefined || !/^[45]\d\d(?: |$)/.test(lastLineOf(response))) {
    return unknown('unreadable', message);
  }
  return { kind: 'refused', reason: message, mendable: isMendable(code, responseCode) };
}

/** Errors with which nodemailer reports a whole reply; a cut one comes under another code. */
function saysRefusal(code: string, dotSent: boolean): boolean {
  return code === 'EMESSAGE' || (!dotSent && ['EENVELOPE', 'EAUTH', 'EPROTOCOL'].includes(code));
}

/**
 * 4yz may be lifted by time or by people, so may a login that is missing or was refused (RFC 4954 6),
 * and so may a server that will not talk to us at all, which says nothing about the mail.
 */
function isMendable(code: string, responseCode: number): boolean {
  const ofLogin = [530, 534, 535, 538].includes(responseCode);
  return responseCode < 500 || ofLogin || code === 'EAUTH' || code === 'EPROTOCOL';
}

/**
 * The name a server gave the mail in its queue, where it tells it in a known way: Postfix ("queued as
 * X"), Exim ("OK id=X"), Sendmail and OpenSMTPD ("X Message accepted for delivery").
 */
function queueIdOf(reply: string): string | null {
  const known =
    /\bqueued as ([\w.-]+)/i.exec(reply) ??
    /\bOK id=([\w.-]+)/i.exec(reply) ??
    /^250 2\.\d\.\d ([\w.-]+) Message accepted for delivery/i.exec(reply);
  return known?.[1] ?? null;
}

function lastLineOf(reply: string): string {
  return reply.slice(reply.lastIndexOf('\n') + 1);
}

function unknown(
  cause: Extract<ApplyResult, { kind: 'unknown' }>['cause'],
  detail: string,
): ApplyResult {
  return { kind: 'unknown', cause, detail };
}
