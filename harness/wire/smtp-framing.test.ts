/** SMTP cut and joined at every byte, on both sides, and what a session makes of its requests. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { FramedRequest, ReplyStep, RequestStep } from './conversation.ts';
import { SmtpConversation } from './smtp-conversation.ts';
import { maxLineBytes, maxMessageBytes } from './smtp-requests.ts';
import { cutAfter, everyWay } from './testing/every-way.ts';

const greeting = '220-mail.example ESMTP\r\n220 at your service\r\n';
const message = 'Subject: hi\r\n\r\n..a\r\n.b\r\n\r.\r\n\n.\n\r\n.\r\n';

type Talk = readonly (readonly [said: string, ...answers: string[]])[];

/** A login, an envelope of which one recipient is refused, sent as one batch, and a message. */
const whole: Talk = [
  ['EHLO me\r\n', '250-mail.example\r\n250-PIPELINING\r\n250 AUTH PLAIN LOGIN\r\n'],
  ['AUTH LOGIN\r\n', '334 VXNlcm5hbWU6\r\n'],
  ['bWU=\r\n', '334 UGFzc3dvcmQ6\r\n'],
  ['c2VjcmV0\r\n', '235 2.7.0 Accepted\r\n'],
  [
    'MAIL FROM:<x@y> SIZE=12\r\nRCPT TO:<a@b>\r\nrcpt to:<nobody@b>\r\nDATA\r\n',
    '250 2.1.0 Ok\r\n',
    '250 2.1.5 Ok\r\n',
    '550 5.1.1 No such mailbox\r\n',
    '354 End data with <CR><LF>.<CR><LF>\r\n',
  ],
  [message, '250 2.0.0 OK: queued as 1\r\n'],
  ['QUIT\r\n', '221 Bye\r\n'],
];

/** How a conversation goes when every piece of it is cut so. */
function hold(talk: Talk, cut: (bytes: Buffer) => readonly Buffer[] = (bytes) => [bytes]) {
  const conversation = new SmtpConversation();
  const replies = conversation.openReplies();
  const asked: FramedRequest[] = [];
  const answered: ReplyStep[] = [];
  const steps: RequestStep[] = [];
  const hear = (text: string) => {
    for (const chunk of cut(Buffer.from(text))) answered.push(...replies.push(chunk));
  };
  hear(greeting);
  for (const [said, ...answers] of talk) {
    const before = asked.length;
    for (const chunk of cut(Buffer.from(said))) {
      const made = conversation.requests.push(chunk);
      steps.push(...made);
      asked.push(...made.flatMap((step) => (step.kind === 'whole' ? [step.request] : [])));
    }
    answers.forEach((answer, index) => {
      const request = asked[before + index];
      if (request !== undefined) replies.expect(request);
      hear(answer);
    });
  }
  return { conversation, replies, asked, answered, steps };
}

const factsOf = (asked: readonly FramedRequest[]) =>
  asked.map(({ method, path, mutating }) => [method, path, mutating]);
const textOf = ({ raw }: FramedRequest) => Buffer.concat(raw).toString('latin1');
const endings = (answered: readonly ReplyStep[]) =>
  answered.flatMap((step) => (step.kind === 'part' && step.whole ? [step.status] : []));

describe('the framing of an SMTP session', () => {
  it('finds each request and each reply and keeps every byte, however both are cut', () => {
    const said = whole.map(([text]) => text).join('');
    const heard = greeting + whole.flatMap(([, ...answers]) => answers).join('');
    const check = (cut: (bytes: Buffer) => readonly Buffer[]) => {
      const { asked, answered, steps } = hold(whole, cut);
      expect(asked.map(textOf).join('')).toBe(said);
      expect(factsOf(asked)).toEqual([
        ['EHLO', '', false],
        ['AUTH', 'LOGIN', false],
        ['AUTH', '', false],
        ['AUTH', '', false],
        ['MAIL', 'x@y', false],
        ['RCPT', 'a@b', false],
        ['RCPT', 'nobody@b', false],
        ['DATA', '', false],
        ['MESSAGE', 'x@y > a@b', true],
        ['QUIT', '', false],
      ]);
      expect(steps.map(({ kind }) => kind)).toEqual(asked.flatMap(() => ['began', 'whole']));
      expect(endings(answered)).toEqual([200, 200, 200, 200, 200, 200, 422, 200, 200, 200]);
      const bytes = answered.flatMap((step) => ('bytes' in step ? [step.bytes] : []));
      expect(Buffer.concat(bytes).toString()).toBe(heard);
    };
    // As long as the longest piece of the talk, so that each is cut everywhere.
    everyWay(Buffer.alloc(message.length + 40), (chunks) => {
      const at = chunks.map(({ length }) => length);
      check((bytes) => cutAfter(bytes, at));
    });
  });

  it('tells nothing of a login, not even its digest, and nothing of a verb nobody knows', () => {
    const { asked } = hold([
      ['AUTH PLAIN AG1lAHNlY3JldA==\r\n', '535 5.7.8 no\r\n'],
      ['AUTH LOGIN\r\n', '334 \r\n'],
      ['c2VjcmV0\r\n', '454 4.7.0 later\r\n'],
      ['c2VjcmV0\r\n', '500 5.5.1 what\r\n'],
    ]);
    expect(factsOf(asked).map(([method, path]) => [method, path])).toEqual([
      ['AUTH', 'PLAIN'],
      ['AUTH', 'LOGIN'],
      ['AUTH', ''],
      ['UNKNOWN', ''],
    ]);
    const empty = createHash('sha256').digest('hex');
    expect(asked.map(({ bodySha256 }) => bodySha256)).toEqual([empty, empty, empty, empty]);
  });

  it('says that a request began at its first byte, and that it is midway until its last', () => {
    const { conversation } = hold(whole.slice(0, 5));
    expect(conversation.requests.midway).toBe(false);
    expect(conversation.requests.push(Buffer.from('S'))).toEqual([{ kind: 'began' }]);
    expect(conversation.requests.push(Buffer.from('ubject\r\n.\r'))).toEqual([]);
    expect(conversation.requests.midway).toBe(true);
    expect(conversation.requests.push(Buffer.from('\n')).map(({ kind }) => kind)).toEqual([
      'whole',
    ]);
    expect(conversation.requests.midway).toBe(false);
  });

  it('calls a message mutating only where a recipient is left', () => {
    const none: Talk = [
      [
        'MAIL FROM:<x@y>\r\nRCPT TO:<nobody@b>\r\nDATA\r\n',
        '250 ok\r\n',
        '550 no\r\n',
        '354 go\r\n',
      ],
      ['.\r\n', '554 no recipients\r\n'],
    ];
    expect(factsOf(hold(none).asked).at(-1)).toEqual(['MESSAGE', 'x@y > ', false]);
    const again: Talk = [
      ...none,
      ['MAIL FROM:<x@y>\r\nRCPT TO:<a@b>\r\nDATA\r\n', '250 ok\r\n', '250 ok\r\n', '354 go\r\n'],
      ['.\r\n', '250 ok\r\n'],
    ];
    expect(factsOf(hold(again).asked).at(-1)).toEqual(['MESSAGE', 'x@y > a@b', true]);
  });

  it.each<[string, Talk]>([
    ['a sender that came too late', [['MAIL FROM:<c@d>\r\n', '503 5.5.1 nested MAIL\r\n']]],
    ['a name that was refused', [['EHLO \r\n', '501 5.5.4 who\r\n']]],
    [
      'a recipient that was named again, and then refused',
      [['RCPT TO:<a@b>\r\n', '452 4.5.3 too many\r\n']],
    ],
    [
      'both, in one batch with what follows',
      [
        [
          'MAIL FROM:<c@d>\r\nRCPT TO:<a@b>\r\nNOOP\r\n',
          '503 5.5.1 nested MAIL\r\n',
          '452 4.5.3 too many\r\n',
          '250 ok\r\n',
        ],
      ],
    ],
  ])('goes on with the envelope that the server has after %s', (_, refused) => {
    const { asked } = hold([
      ['MAIL FROM:<x@y>\r\nRCPT TO:<a@b>\r\n', '250 ok\r\n', '250 ok\r\n'],
      ...refused,
      ['DATA\r\n', '354 go\r\n'],
      ['.\r\n', '250 ok\r\n'],
      ['BDAT 0 LAST\r\n', '503 5.5.1 need MAIL\r\n'],
    ]);
    expect(factsOf(asked).slice(-2)).toEqual([
      ['MESSAGE', 'x@y > a@b', true],
      // An envelope is good for one message.
      ['BDAT', 'x@y > ', false],
    ]);
  });

  it('goes back to commands where DATA is refused', () => {
    const { asked } = hold([
      ['DATA\r\n', '503 5.5.1 need RCPT\r\n'],
      ['RSET\r\n', '250 ok\r\n'],
    ]);
    expect(factsOf(asked)).toEqual([
      ['DATA', '', false],
      ['RSET', '', false],
    ]);
  });

  it('takes a chunk with its command, and the last one for the message', () => {
    const chunks =
      'MAIL FROM:<x@y>\r\nRCPT TO:<a@b>\r\nBDAT 4\r\na\r\n.BDAT 3 LAST\r\n\r\n.NOOP\r\nBDAT 0 last\r\n';
    everyWay(Buffer.from(chunks), (pieces) => {
      const { requests } = new SmtpConversation();
      const asked = pieces
        .flatMap((piece) => requests.push(piece))
        .flatMap((step) => (step.kind === 'whole' ? [step.request] : []));
      expect(asked.map(textOf).slice(2)).toEqual([
        'BDAT 4\r\na\r\n.',
        'BDAT 3 LAST\r\n\r\n.',
        'NOOP\r\n',
        'BDAT 0 last\r\n',
      ]);
      expect(factsOf(asked).slice(2)).toEqual([
        ['BDAT', 'x@y > a@b', false],
        ['BDAT', 'x@y > a@b', true],
        ['NOOP', '', false],
        ['BDAT', 'x@y > a@b', true],
      ]);
    });
  });

  it.each([
    ['DATA', 'a message before it is asked for\r\n.\r\n'],
    ['AUTH LOGIN', 'c2VjcmV0\r\n'],
    ['STARTTLS', '\x16\x03\x01'],
  ])('gives up where a client does not wait for the answer to %s', (command, rest) => {
    const { steps } = hold([[`${command}\r\n${rest}`]]);
    expect(steps.at(-1)).toEqual({ kind: 'opaque', bytes: [Buffer.from(rest)] });
  });

  it('leaves the protocol with STARTTLS, and stays where the server does not', () => {
    const { answered } = hold([['STARTTLS\r\n', '220 2.0.0 go\r\n\x16\x03']]);
    expect(answered.at(-1)).toEqual({
      kind: 'switched',
      bytes: Buffer.from('220 2.0.0 go\r\n'),
      rest: Buffer.from('\x16\x03'),
    });
    const stays = hold([
      ['STARTTLS\r\n', '454 4.7.0 not now\r\n'],
      ['NOOP\r\n', '250 ok\r\n'],
    ]);
    expect(endings(stays.answered)).toEqual([429, 200]);
  });

  it('bounds a line and a message', () => {
    const line = hold([['x'.repeat(maxLineBytes + 1)]]).steps;
    expect(line.map(({ kind }) => kind)).toEqual(['began', 'opaque']);
    const { conversation } = hold(whole.slice(0, 5));
    const half = Buffer.alloc(maxMessageBytes / 2, 'x');
    expect(conversation.requests.push(half).map(({ kind }) => kind)).toEqual(['began']);
    expect(conversation.requests.push(half)).toEqual([]);
    expect(conversation.requests.push(half).map(({ kind }) => kind)).toEqual(['over-limit']);
  });
});

describe('what an SMTP server says', () => {
  it('answers nothing in its greeting, or while nothing is asked', () => {
    const conversation = new SmtpConversation();
    const replies = conversation.openReplies();
    const [early] = conversation.requests.push(Buffer.from('EHLO me\r\n')).slice(1);
    if (early?.kind === 'whole') replies.expect(early.request);
    const steps = replies.push(Buffer.from(`${greeting}250 hello\r\n421 4.4.2 idle\r\n`));
    expect(steps.map((step) => [step.kind, 'bytes' in step ? step.bytes.toString() : ''])).toEqual([
      ['aside', greeting],
      ['part', '250 hello\r\n'],
      ['aside', '421 4.4.2 idle\r\n'],
    ]);
  });

  it('is passed on unread once it is no SMTP', () => {
    const { replies, answered } = hold([['NOOP\r\n', 'HTTP/1.1 400 Bad Request\r\n']]);
    expect(answered.at(-1)?.kind).toBe('opaque');
    expect(replies.push(Buffer.from('250 ok\r\n')).map(({ kind }) => kind)).toEqual(['opaque']);
  });

  it('is told in numbers: 4yz is 429, 5yz is 422', () => {
    const { answered } = hold([
      ['NOOP\r\n', '421 4.3.2 closing\r\n'],
      ['NOOP\r\n', '550-5.7.1 no\r\n550 5.7.1 never\r\n'],
      ['NOOP\r\n', '250\r\n'],
    ]);
    expect(endings(answered)).toEqual([429, 422, 200]);
  });

  it('can be cut in half, and nothing can stand in its place', () => {
    const conversation = new SmtpConversation();
    expect(conversation.cutReply(Buffer.from('250 2.0.0 Ok\r\n')).toString()).toBe('250 2.0');
    expect(() => conversation.answer()).toThrow(/definite word/);
    expect(() => conversation.foreignReply()).toThrow(/no reply but its own/);
    expect(conversation.openReplies().end()).toBe(null);
  });
});
