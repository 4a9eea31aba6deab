/**
 * Reads the few things of an HTTP/1.1 head that say where its message ends, and the key the request
 * carries. Heads are read as latin1 and never written, but for the host a request names.
 */
import type { BodyLength } from './http-body.ts';

const tokenByte = /[!#$%&'*+\-.^_`|~0-9A-Za-z]/;
const requestLine = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32} [\x21-\xff]+ HTTP\/1\.[01]\r\n/;
const requestLineSoFar = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}( [\x21-\xff]*( [HTP/1.0\r]{0,9})?)?$/;

export function startsToken(bytes: Buffer): boolean {
  return tokenByte.test(bytes.toString('latin1', 0, 1));
}

/** Whether the first bytes of a head can still become a request. */
export function couldBeRequest(head: Buffer): boolean {
  const newline = head.indexOf(10);
  if (newline < 0) return requestLineSoFar.test(head.toString('latin1'));
  return requestLine.test(head.toString('latin1', 0, newline + 1));
}

export function couldBeReply(head: Buffer): boolean {
  const start = head.toString('latin1', 0, 7);
  return 'HTTP/1.'.startsWith(start);
}

export interface RequestHead {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly expectsContinue: boolean;
  readonly body: BodyLength;
}

/** Null for what is no request, and for one whose end can't be known. */
export function parseRequestHead(text: string): RequestHead | null {
  if (!requestLine.test(text)) return null;
  const [method = '', path = ''] = text.slice(0, text.indexOf('\r\n')).split(' ');
  // What follows a CONNECT is a tunnel, which has no messages to find.
  if (method === 'CONNECT') return null;
  const fields = readFields(text);
  if (fields === null) return null;
  const chunked = fields.codings.at(-1) === 'chunked';
  // A request in another coding has no end that could be known (RFC 9112, section 6.3).
  if (fields.codings.length > 0 && !chunked) return null;
  return {
    method,
    path,
    key: fields.key,
    expectsContinue: fields.expectsContinue,
    body: chunked ? { kind: 'chunked' } : { kind: 'length', bytes: fields.length ?? 0 },
  };
}

export function parseReplyHead(
  text: string,
  method: string,
): { status: number; body: BodyLength } | null {
  const status = Number(/^HTTP\/1\.[01] ([1-9]\d\d)[ \r]/.exec(text)?.[1] ?? 0);
  const fields = readFields(text);
  if (status === 0 || fields === null) return null;
  // These have no body whatever their fields say (RFC 9112, section 6.3).
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) {
    return { status, body: { kind: 'none' } };
  }
  if (fields.codings.length > 0) {
    return {
      status,
      body: { kind: fields.codings.at(-1) === 'chunked' ? 'chunked' : 'until-close' },
    };
  }
  if (fields.length === null) return { status, body: { kind: 'until-close' } };
  return { status, body: { kind: 'length', bytes: fields.length } };
}

/** The same head, byte for byte, with another value in its Host header; a head without one stays without. */
export function renameHost(head: Buffer, host: string): Buffer {
  const text = head.toString('latin1');
  return Buffer.from(
    text.replace(/(\r\nhost:)[^\r\n]*/i, (_line, name) => `${name} ${host}`),
    'latin1',
  );
}

interface Fields {
  readonly length: number | null;
  readonly codings: readonly string[];
  readonly key: string | null;
  readonly expectsContinue: boolean;
}

/** Null when two lengths contradict each other or one is no number. */
function readFields(text: string): Fields | null {
  let length: number | null = null;
  let codings: readonly string[] = [];
  let key: string | null = null;
  let expectsContinue = false;
  for (const line of text.split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).trim();
    switch (line.slice(0, colon).toLowerCase()) {
      case 'content-length':
        if (!/^\d{1,15}$/.test(value)) return null;
        if (length !== null && length !== Number(value)) return null;
        length = Number(value);
        break;
      case 'transfer-encoding':
        codings = [
          ...codings,
          ...value
            .toLowerCase()
            .split(',')
            .map((coding) => coding.trim()),
        ];
        break;
      case 'idempotency-key':
        key = value;
        break;
      case 'expect':
        expectsContinue = value.toLowerCase() === '100-continue';
        break;
    }
  }
  return { length, codings, key, expectsContinue };
}
