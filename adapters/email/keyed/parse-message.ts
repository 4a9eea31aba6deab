/**
 * The body of `POST /emails`. In: its text. Out: the mail that is asked for, or what the service says
 * to one it does not take. What the stand-in does not do (copies, attachments, templates, schedules) is
 * refused: left out in silence it would be another mail than the one that was asked for.
 */
import { isRecord } from '../../json-reply.ts';
import type { ServedAnswer } from '../../whole-request-server.ts';
import { addressShape } from '../address.ts';
import type { MailMessage, Tag } from './accepted-mail.ts';
import { answerInvalidField, answerMissingField, answerNoJson } from './answer.ts';

export type ParsedMessage =
  | { readonly kind: 'message'; readonly message: MailMessage }
  | { readonly kind: 'refused'; readonly answer: ServedAnswer };

const known = ['from', 'to', 'subject', 'text', 'html', 'headers', 'tags'];
const maxRecipients = 50;
const addressRule =
  'The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.';
const tagRule =
  'Tags can only contain ASCII letters (a–z, A–Z), numbers (0–9), underscores (_), or dashes (-), at most 256 characters.';

export function parseMessage(body: string): ParsedMessage {
  const asked = readObject(body);
  if (asked === null) return refused(answerNoJson());
  const stranger = Object.keys(asked).find((field) => !known.includes(field));
  if (stranger !== undefined) return invalid(stranger, 'The stand-in does not do this.');
  const { from, to, subject, text = null, html = null, headers = {}, tags = [] } = asked;
  if (from === undefined) return missing('from');
  if (!isMailbox(from)) return invalid('from', addressRule);
  if (to === undefined) return missing('to');
  const recipients = Array.isArray(to) ? to : [to];
  if (recipients.length === 0 || recipients.length > maxRecipients || !recipients.every(isMailbox))
    return invalid('to', addressRule);
  if (subject === undefined) return missing('subject');
  if (typeof subject !== 'string') return invalid('subject', 'It must be a text.');
  if (text === null && html === null) return missing('html` or `text');
  if (!isTextOrNull(text)) return invalid('text', 'It must be a text.');
  if (!isTextOrNull(html)) return invalid('html', 'It must be a text.');
  if (!isRecordOfTexts(headers)) return invalid('headers', 'It must be an object of texts.');
  if (!Array.isArray(tags) || !tags.every(isTag)) return invalid('tags', tagRule);
  return {
    kind: 'message',
    message: { from, to: recipients, subject, text, html, headers, tags },
  };
}

/** The address itself where a name stands before it. */
export function bareAddress(mailbox: string): string {
  return /^[^<>]*<([^<>]+)>$/.exec(mailbox)?.[1] ?? mailbox;
}

function readObject(body: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(body);
    return isRecord(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function isMailbox(value: unknown): value is string {
  return typeof value === 'string' && addressShape.test(bareAddress(value));
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function isRecordOfTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isRecord(value) && Object.values(value).every((text) => typeof text === 'string');
}

function isTag(value: unknown): value is Tag {
  return isRecord(value) && isTagText(value.name) && isTagText(value.value);
}

function isTagText(value: unknown): boolean {
  return typeof value === 'string' && /^[\w-]{1,256}$/.test(value);
}

function missing(field: string): ParsedMessage {
  return refused(answerMissingField(field));
}

function invalid(field: string, why: string): ParsedMessage {
  return refused(answerInvalidField(field, why));
}

function refused(answer: ServedAnswer): ParsedMessage {
  return { kind: 'refused', answer };
}
