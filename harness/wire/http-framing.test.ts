import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { maxHeadBytes } from './http-body.ts';
import { maxBodyBytes, ReplyFramer, RequestFramer, type RequestStep } from './http-framing.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Feeds the text in pieces of the given size. */
function frame(text: string, pieceBytes: number): readonly RequestStep[] {
  const framer = new RequestFramer();
  const bytes = Buffer.from(text, 'latin1');
  const steps: RequestStep[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    steps.push(...framer.push(bytes.subarray(at, at + pieceBytes)));
    if (steps.at(-1)?.kind === 'not-http') break;
  }
  return steps;
}

function wholes(steps: readonly RequestStep[]) {
  return steps.flatMap((step) => (step.kind === 'whole' ? [step.request] : []));
}

const fixed = 'POST /v1/refunds HTTP/1.1\r\nIdempotency-KEY: k-1\r\nContent-Length: 5\r\n\r\nhello';
const chunked =
  'POST /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: 1\r\n\r\n';
const bare = 'GET /c?d=e HTTP/1.1\r\nHost: x\r\n\r\n';

describe('the framing of requests', () => {
  it.each([1, 2, 3, 7, 64, 1000])(
    'finds pipelined requests in pieces of %i bytes and keeps every byte',
    (size) => {
      const steps = frame(fixed + chunked + bare, size);
      const requests = wholes(steps);
      expect(requests.map(({ raw }) => Buffer.concat(raw).toString('latin1'))).toEqual([
        fixed,
        chunked,
        bare,
      ]);
      expect(
        requests.map(({ method, path, key, mutating, bodySha256 }) => [
          method,
          path,
          key,
          mutating,
          bodySha256,
        ]),
      ).toEqual([
        ['POST', '/v1/refunds', 'k-1', true, sha256('hello')],
        ['POST', '/b', null, true, sha256('abcde')],
        ['GET', '/c?d=e', null, false, sha256('')],
      ]);
      expect(steps.filter((step) => step.kind === 'began')).toHaveLength(3);
    },
  );

  it.each([
    ['a mail greeting', 'EHLO client.example\r\n'],
    ['a binary handshake', '\x00\x00\x00\x08\x04\xd2\x16\x2f'],
    ['HTTP/2 by prior knowledge', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\n\r\n'],
    [
      'two lengths that differ',
      'POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    ],
    ['a length that is no number', 'POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\na'],
    ['a coding without an end', 'POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\na'],
    ['a broken chunk', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc'],
  ])('calls %s no HTTP and gives every byte back', (_name, text) => {
    for (const size of [1, 1000]) {
      const steps = frame(text, size);
      const last = steps.at(-1);
      expect(last?.kind).toBe('not-http');
      const given = last?.kind === 'not-http' ? Buffer.concat(last.bytes).toString('latin1') : '';
      expect(text.startsWith(given)).toBe(true);
      if (size === 1000) expect(given).toBe(text);
    }
  });

  it('bounds heads and bodies', () => {
    const longHead = `GET / HTTP/1.1\r\nA: ${'x'.repeat(maxHeadBytes)}`;
    expect(frame(longHead, 4096).at(-1)?.kind).toBe('over-limit');
    const longBody = `POST / HTTP/1.1\r\nContent-Length: ${maxBodyBytes + 1}\r\n\r\n`;
    expect(frame(longBody, 4096).at(-1)?.kind).toBe('over-limit');
  });

  it('says that a sender waits for 100 Continue only while its body is missing', () => {
    const head = 'POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n';
    expect(frame(head, 1000).map((step) => step.kind)).toEqual(['began', 'awaits-continue']);
    expect(frame(`${head}ab`, 1000).map((step) => step.kind)).toEqual(['began', 'whole']);
  });
});

function frameReply(method: string, text: string, pieceBytes: number) {
  const framer = new ReplyFramer(method);
  const bytes = Buffer.from(text, 'latin1');
  const steps = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    steps.push(...framer.push(bytes.subarray(at, at + pieceBytes)));
    const last = steps.at(-1);
    if (last?.kind === 'part' && last.whole) break;
  }
  return { steps, framer };
}

describe('the framing of replies', () => {
  const withLength = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc';
  it.each([
    ['a length', 'POST', withLength, 200],
    [
      'chunks',
      'POST',
      'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
      201,
    ],
    ['no body after HEAD', 'HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n', 200],
    ['no body with 204', 'POST', 'HTTP/1.1 204 No Content\r\n\r\n', 204],
    ['no body with 304', 'GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n', 304],
  ])('ends with %s, whatever the pieces', (_name, method, text, status) => {
    for (const size of [1, 5, 1000]) {
      const { steps } = frameReply(method, text, size);
      const parts = steps.flatMap((step) => (step.kind === 'part' ? [step] : []));
      expect(Buffer.concat(parts.map(({ bytes }) => bytes)).toString('latin1')).toBe(text);
      expect(parts.map(({ whole }) => whole).indexOf(true)).toBe(parts.length - 1);
      expect(parts.at(-1)?.status).toBe(status);
    }
  });

  it('lasts until the connection ends where nothing else says so, and is cut where something does', () => {
    const untilClose = frameReply('GET', 'HTTP/1.0 200 OK\r\n\r\nabc', 4);
    expect(untilClose.framer.end()).toMatchObject({ whole: true, status: 200 });
    const cut = frameReply('GET', withLength.slice(0, -1), 4);
    expect(cut.framer.end()).toBeNull();
  });

  it('tells interim replies from the reply proper', () => {
    const { steps } = frameReply('POST', `HTTP/1.1 100 Continue\r\n\r\n${withLength}`, 1000);
    expect(steps.map((step) => step.kind)).toEqual(['interim', 'part', 'part']);
  });
});
