/**
 * Tells apart the statements of an SQL text, as far as the wire has to know them: where each ends, its
 * first keyword, its text for people, and whether it can change something. It parses no SQL: quotes,
 * comments and parentheses are followed, and the rest is words.
 */

export type StatementKind =
  /** Opens a transaction block. */
  | 'begins'
  /** Makes what the block did last. */
  | 'commits'
  /** Ends the block, and nothing has changed yet. */
  | 'abandons'
  | 'reads'
  | 'changes';

export interface Statement {
  /** The first word, in upper case. */
  readonly keyword: string;
  /** Without comments, its spaces collapsed, cut at `maxTextCharacters`. */
  readonly text: string;
  readonly kind: StatementKind;
}

export const maxTextCharacters = 400;

/** Empty statements are left out. */
export function statementsOf(sql: string): readonly Statement[] {
  const statements: Statement[] = [];
  let text = '';
  let words = '';
  let depth = 0;
  const finish = (): void => {
    if (words.trim() !== '') statements.push(describe(text, words));
    text = '';
    words = '';
    depth = 0;
  };
  for (let at = 0; at < sql.length; ) {
    const token = tokenAt(sql, at);
    at += token.length;
    if (token === ';' && depth === 0) {
      finish();
      continue;
    }
    if (token === '(') depth += 1;
    if (token === ')') depth = Math.max(0, depth - 1);
    const isComment = token.startsWith('--') || token.startsWith('/*');
    text += isComment ? ' ' : token;
    words += isComment ? ' ' : isQuoted(token) ? ' x ' : token;
  }
  finish();
  return statements;
}

export function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, maxTextCharacters);
}

/** Statements after which nothing outside the session has changed. */
const harmless = new Set(
  `SELECT SHOW SET RESET VALUES TABLE WITH EXPLAIN FETCH MOVE DECLARE CLOSE LISTEN UNLISTEN DISCARD
   DEALLOCATE PREPARE SAVEPOINT RELEASE ROLLBACK LOCK CHECKPOINT`.split(/\s+/),
);

function describe(text: string, words: string): Statement {
  const plain = words
    .replace(/\s+/g, ' ')
    .replace(/^[( ]+/, '')
    .trimEnd()
    .toUpperCase();
  const keyword = /^[^\s(]*/.exec(plain)?.[0] ?? '';
  return { keyword, text: collapse(text), kind: kindOf(keyword, plain) };
}

/**
 * A SELECT counts as a read: that a function it calls writes can't be seen in it. What is not known
 * counts as a change.
 */
function kindOf(keyword: string, plain: string): StatementKind {
  switch (keyword) {
    case 'BEGIN':
    case 'START':
      return 'begins';
    case 'COMMIT':
      return plain.startsWith('COMMIT PREPARED') ? 'changes' : 'commits';
    case 'END':
      return 'commits';
    case 'ABORT':
      return 'abandons';
    case 'ROLLBACK':
      return /^ROLLBACK (PREPARED|((WORK|TRANSACTION) )?TO)\b/.test(plain) ? 'reads' : 'abandons';
    case 'PREPARE':
      // Durable, and no effect before COMMIT PREPARED.
      return plain.startsWith('PREPARE TRANSACTION') ? 'abandons' : 'reads';
    case 'SELECT':
      return /\bINTO\b/.test(plain) ? 'changes' : 'reads';
    case 'WITH':
    case 'EXPLAIN':
      return writes(plain) ? 'changes' : 'reads';
    default:
      return harmless.has(keyword) ? 'reads' : 'changes';
  }
}

function writes(plain: string): boolean {
  const withoutLocks = plain.replace(/\bFOR (NO KEY )?UPDATE\b/g, '');
  return /\b(INSERT|UPDATE|DELETE|MERGE|INTO)\b/.test(withoutLocks);
}

const lineComment = /--[^\n]*/y;
const quotedName = /"(?:[^"]|"")*(?:"|$)/y;
const plainString = /'(?:[^']|'')*(?:'|$)/y;
const escapeString = /[eE]'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)/y;
const dollarQuote = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
/** A word's dollar signs are its own: no quote begins in it. */
const word = /[\w\u0080-\uffff][\w$\u0080-\uffff]*/y;
const spaces = /\s+/y;

function tokenAt(sql: string, at: number): string {
  if (sql.startsWith('/*', at)) return blockComment(sql, at);
  const opening = match(dollarQuote, sql, at);
  if (opening !== null) {
    const end = sql.indexOf(opening, at + opening.length);
    return sql.slice(at, end < 0 ? sql.length : end + opening.length);
  }
  for (const pattern of [spaces, lineComment, quotedName, plainString, escapeString, word]) {
    const token = match(pattern, sql, at);
    if (token !== null) return token;
  }
  return sql.charAt(at);
}

/** They nest. */
function blockComment(sql: string, at: number): string {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = at;
  let depth = 0;
  for (let mark = marks.exec(sql); mark !== null; mark = marks.exec(sql)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return sql.slice(at, marks.lastIndex);
  }
  return sql.slice(at);
}

function match(pattern: RegExp, sql: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(sql)?.[0] ?? null;
}

function isQuoted(token: string): boolean {
  return token.length > 1 && /^(["']|[eE]'|\$)/.test(token);
}
