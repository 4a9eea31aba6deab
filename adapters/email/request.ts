/**
 * The mail a gate may ask for: one message to one recipient. In: the JSON of a request. Out: a checked
 * mail or an InvalidRequestError. Whatever a mail system would change on the way (line ends, blanks at
 * the edges of a header, control characters) is refused here, so that what arrives can be compared
 * with what was asked for.
 */
import { RequestFields } from '../request-fields.ts';
import { type EffectIdentity, InvalidRequestError, type JsonObject } from '../target.ts';
import { addressShape, domainOf, mailboxOf } from './address.ts';

export interface MailRequest {
  /** The one mailbox of the envelope. */
  readonly recipient: string;
  /** What the mail is about in the caller's own records; travels in a header. */
  readonly reference: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  /** What the To header shows; the recipient alone where it is left out. */
  readonly to: readonly string[];
}

/** Carries the reference in what is sent. */
export const referenceHeader = 'X-Reference';

/** `distinct` names the approval; the gate puts it into the decision's key, the mail service never sees it. */
const names = ['operation', 'recipient', 'reference', 'from', 'subject', 'text', 'to', 'distinct'];

const maxTextCharacters = 1_000_000;
const address = { expected: 'one bare mail address', todo: "Write it as 'name@example.com'" };

/** Throws InvalidRequestError, which says what was expected, what came and what to do. */
export function parseMailRequest(request: JsonObject): MailRequest {
  refuseSeveralRecipients(request);
  const fields = new RequestFields('Request to send', request, names);
  fields.operation('send', 'This target sends mail only');
  fields.distinct();
  const recipient = fields.text('recipient', addressShape, address);
  return {
    recipient,
    reference: fields.text('reference', /^[\x21-\x7e]{1,100}$/, {
      expected: '1 to 100 printable ASCII characters without spaces',
      todo: 'Pass the id under which your own records know what this mail is for',
    }),
    from: fields.text('from', addressShape, address),
    subject: fields.text('subject', /^(?! )(?!.* $)[^\p{Cc}\u2028\u2029]{1,200}$/u, {
      expected: 'one line of 1 to 200 characters that neither begins nor ends with a blank',
      todo: 'Remove line breaks and blanks at the edges',
    }),
    text: parseText(fields),
    to: parseTo(fields, recipient),
  };
}

/** The recipient and the reference name the decision; who sends it, and what it says, is its substance. */
export function identifyMail(target: string, account: string, request: JsonObject): EffectIdentity {
  const { recipient, reference } = parseMailRequest(request);
  const subject = `${mailboxOf(recipient)}/${reference}`;
  return { target, account, operation: 'send', subject, keyFields: {} };
}

/**
 * The Message-ID of a decision: unique under the sender's own domain, as RFC 5322 3.6.4 advises. A key
 * may hold what an id must not, so all but letters, digits, _ and - is written as %XX.
 */
export function messageIdOf(key: string, { from }: Pick<MailRequest, 'from'>): string {
  const written = [...Buffer.from(key, 'utf8')].map(writeByte).join('');
  return `<${written}@killpoint.${domainOf(from)}>`;
}

/** The decision key in a Message-ID; null where it is none of ours. */
export function stampOf(messageId: string | undefined): string | null {
  const written = /^<((?:[\w-]|%[0-9A-F]{2})+)@killpoint\.[^>@]+>$/.exec(messageId ?? '')?.[1];
  if (written === undefined) return null;
  try {
    return decodeURIComponent(written);
  } catch {
    return null;
  }
}

function writeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (/[\w-]/.test(character)) return character;
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

/** An envelope of several is told apart from a misspelt address: there is something else to do about it. */
function refuseSeveralRecipients({ recipient }: JsonObject): void {
  const several =
    Array.isArray(recipient) || (typeof recipient === 'string' && /[,;]/.test(recipient));
  if (!several) return;
  throw new InvalidRequestError(
    `Request to send: recipient must be one bare mail address; came ${JSON.stringify(recipient).slice(0, 80)}. A server may accept one recipient and refuse another, so each is a decision of its own: make one request per recipient with perRecipient(), which keeps them all in the To header.`,
  );
}

/** Lines end with \n alone, and the last one does not: a mail system ends it by itself. */
function parseText(fields: RequestFields): string {
  const text = fields.text('text', /^(?:[^\p{Cc}]|[\t\n])+$/u, {
    expected: 'text of lines that end with \\n, without other control characters than tabs',
    todo: 'Pass plain text',
  });
  if (text.length <= maxTextCharacters && !text.endsWith('\n')) return text;
  throw fields.invalid(
    'text',
    `at most ${maxTextCharacters} characters that do not end with a line break`,
    'Shorten it or remove the last line break',
  );
}

function parseTo(fields: RequestFields, recipient: string): readonly string[] {
  const to = fields.get('to');
  if (to === undefined) return [recipient];
  if (Array.isArray(to) && to.includes(recipient) && to.every(isAddress)) return to;
  throw fields.invalid(
    'to',
    'a list of bare mail addresses that holds the recipient, or no field',
    'List whoever the To header is to show',
  );
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && addressShape.test(value);
}
