/** What may be asked for as a mail, what names the decision, and how several recipients are taken apart. */
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../target.ts';
import { exampleRequests } from './examples.ts';
import { perRecipient } from './per-recipient.ts';
import { identifyMail, messageIdOf, parseMailRequest, stampOf } from './request.ts';

const { request } = exampleRequests(1);
const asked = (change: object) => () => parseMailRequest({ ...request, ...change });

describe('a request to send a mail', () => {
  it('holds one recipient, a reference and what is said', () => {
    const { operation: _operation, ...mail } = request;
    expect(parseMailRequest(request)).toEqual({ ...mail, to: [request.recipient] });
    expect(parseMailRequest({ ...request, to: ['b@c', request.recipient ?? ''] }).to).toHaveLength(
      2,
    );
    expect(asked({ text: 'Grüße\n\tund mehr\n.' })).not.toThrow();
    expect(asked({ subject: 'Grüße 😀' })).not.toThrow();
  });

  it.each([
    ['another operation', { operation: 'post' }, /operation must be 'send'/],
    ['no recipient', { recipient: '' }, /recipient must be one bare mail address; came ""/],
    ['a display name', { recipient: 'A <a@b>' }, /recipient must be one bare mail address/],
    ['a line break in an address', { from: 'a@b\r\nBcc: x@y' }, /from must be one bare/],
    ['a header in a subject', { subject: 'a\r\nBcc: x@y' }, /subject must be one line/],
    ['a blank at an edge', { subject: ' a' }, /subject must be one line/],
    ['a reference with a blank', { reference: 'a b' }, /reference must be 1 to 100/],
    ['carriage returns', { text: 'a\r\n.\r\nQUIT' }, /text must be text of lines that end with/],
    ['a line break at the end', { text: 'a\n' }, /text must be at most .* do not end with/],
    ['a To header without the recipient', { to: ['b@c'] }, /to must be a list .* came \["b@c"\]/],
    ['an unknown field', { cc: 'b@c' }, /also came cc/],
    ['an approval without a name', { distinct: '' }, /distinct must be a non-empty string/],
  ])('refuses %s, and says what to do', (_name, change, message) => {
    expect(asked(change)).toThrow(InvalidRequestError);
    expect(asked(change)).toThrow(message);
  });

  it.each([[['a@b', 'c@d']], ['a@b, c@d']])('refuses several recipients in %j', (recipient) => {
    expect(asked({ recipient })).toThrow(/each is a decision of its own: .*perRecipient\(\)/);
  });

  it('is the same decision whatever it says, and however the domain is written', () => {
    const named = (change: object) => identifyMail('email.smtp', 'acc', { ...request, ...change });
    const usual = named({});
    expect(usual.subject).toBe(`${request.recipient}/${request.reference}`);
    expect(named({ text: 'other', subject: 'other', from: 'b@c' })).toEqual(usual);
    const louder = String(request.recipient).replace('mail.example', 'MAIL.Example');
    expect(named({ recipient: louder })).toEqual(usual);
    expect(named({ reference: 'other' })).not.toEqual(usual);
  });
});

describe('a decision key in a Message-ID', () => {
  it('comes back as it went in, and no other id is taken for one', () => {
    const id = messageIdOf('0123abcdef', { from: 'shop@Sender.example' });
    expect(id).toBe('<0123abcdef@killpoint.sender.example>');
    expect(stampOf(id)).toBe('0123abcdef');
    for (const key of ['send:shop/a@b.c/1 2', 'ü%', '..', 'x'.repeat(200)]) {
      expect(messageIdOf(key, { from: 'a@b' })).toMatch(/^<[\w%-]+@killpoint\.b>$/);
      expect(stampOf(messageIdOf(key, { from: 'a@b' }))).toBe(key);
    }
    for (const other of [undefined, '', '<a@b>', 'a@killpoint.b', '<%FF@killpoint.c>']) {
      expect(stampOf(other)).toBe(null);
    }
  });
});

describe('a message to several people', () => {
  const message = { reference: 'r', from: 'x@y', subject: 's', text: 't' };

  it('is one request for each, all of whom the To header shows', () => {
    const recipients = ['a@b', 'c@d'];
    const requests = perRecipient({ ...message, recipients, distinct: 'approval-1' });
    expect(requests.map(({ recipient }) => recipient)).toEqual(recipients);
    expect(requests.map((each) => parseMailRequest(each).to)).toEqual([recipients, recipients]);
    const subjects = requests.map((each) => identifyMail('t', 'a', each).subject);
    expect(new Set(subjects).size).toBe(2);
  });

  it('is refused whole where one of them could not be sent to, or is there twice', () => {
    const to =
      (...recipients: string[]) =>
      () =>
        perRecipient({ ...message, recipients });
    expect(to()).toThrow(/at least one address, each once/);
    expect(to('a@b', 'a@B')).toThrow(/each once; came \["a@b","a@B"\]/);
    expect(to('a@b', 'nobody')).toThrow(/bare mail addresses .* came \["a@b","nobody"\]/);
  });
});
