/**
 * What the wire reads in an SMTP command line. In: a line. Out: its verb, and what it is about as far
 * as that is no secret. A line with a verb nobody knows may be anything, so nothing of it is told.
 */

export interface Command {
  readonly method: string;
  readonly path: string;
  /** The bytes that follow it (RFC 3030); 0 for every other command. */
  readonly chunkBytes: number;
  readonly endsMessage: boolean;
}

const verbs = 'EHLO HELO MAIL RCPT DATA BDAT RSET NOOP QUIT AUTH STARTTLS VRFY EXPN HELP'.split(
  ' ',
);

export function readCommand(line: string): Command {
  const [first = '', ...words] = line.trim().split(/\s+/);
  const method = verbs.find((verb) => verb === first.toUpperCase()) ?? 'UNKNOWN';
  const plain = { method, path: '', chunkBytes: 0, endsMessage: false };
  switch (method) {
    case 'MAIL':
    case 'RCPT':
      return { ...plain, path: /<([^>]*)>/.exec(line)?.[1] ?? '' };
    case 'AUTH':
      return { ...plain, path: /^[\w-]{1,20}$/.exec(words[0] ?? '')?.[0].toUpperCase() ?? '' };
    case 'BDAT':
      return {
        ...plain,
        chunkBytes: /^\d{1,15}$/.test(words[0] ?? '') ? Number(words[0]) : 0,
        endsMessage: words[1]?.toUpperCase() === 'LAST',
      };
    default:
      return plain;
  }
}
