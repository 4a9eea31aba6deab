/** Postgres's messages cut and joined at every byte, and what a session makes of its requests. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { RequestStep } from './conversation.ts';
import { PostgresConversation } from './postgres-conversation.ts';
import { maxRequestBytes } from './postgres-messages.ts';
import { maxNames } from './postgres-requests.ts';
import { everyWay, pieces } from './testing/every-way.ts';
import {
  bind,
  cancelRequest,
  complete,
  error,
  execute,
  extended,
  flush,
  notice,
  parse,
  query,
  ready,
  sslRequest,
  startUp,
  sync,
  terminate,
  typed,
  untyped,
} from './testing/postgres-messages.ts';

const request = { method: 'COMMIT', path: '', mutating: true, key: null, bodySha256: '', raw: [] };

function sent(chunks: readonly Buffer[]): readonly RequestStep[] {
  const { requests } = new PostgresConversation();
  return chunks.flatMap((chunk) => requests.push(chunk));
}

/** A session past its start-up, as a list of what it calls each cycle when the server answers it so. */
function session() {
  const conversation = new PostgresConversation();
  const replies = conversation.openReplies();
  conversation.requests.push(startUp);
  replies.push(ready('I'));
  const send = (bytes: Buffer) => conversation.requests.push(bytes);
  return {
    send,
    answer: (...messages: readonly Buffer[]) => replies.push(Buffer.concat(messages)),
    facts(bytes: Buffer) {
      return send(bytes).flatMap((step) =>
        step.kind === 'whole'
          ? [[step.request.method, step.request.path, step.request.mutating]]
          : [],
      );
    },
  };
}

describe('the framing of a Postgres client', () => {
  it('finds each cycle and keeps every byte of it, however the messages are cut', () => {
    const cycles = [
      query('BEGIN'),
      extended('INSERT INTO t VALUES ($1)', 'secret'),
      sync,
      typed('F', 'oid.args'),
      query('COMMIT'),
    ];
    everyWay(
      Buffer.concat([sslRequest, startUp, typed('p', 'pw\0'), ...cycles, terminate]),
      (chunks) => {
        const steps = sent(chunks);
        const requests = steps.flatMap((step) => (step.kind === 'whole' ? [step.request] : []));
        expect(requests.map(({ raw }) => Buffer.concat(raw))).toEqual(cycles);
        expect(requests.map(({ bodySha256 }) => bodySha256)).toEqual(
          cycles.map((cycle) => createHash('sha256').update(cycle).digest('hex')),
        );
        expect(requests.map(({ method, mutating }) => [method, mutating])).toEqual([
          ['BEGIN', false],
          ['INSERT', false],
          ['SYNC', false],
          ['CALL', false],
          ['COMMIT', true],
        ]);
        expect(requests.at(-1)?.path).toBe('BEGIN; INSERT INTO t VALUES ($1); CALL; COMMIT');
        expect(steps.flatMap((step) => (step.kind === 'pass' ? [step.bytes] : []))).toEqual([
          sslRequest,
          startUp,
          typed('p', 'pw\0'),
          terminate,
        ]);
        const kinds = steps.map(({ kind }) => kind).filter((kind) => kind !== 'pass');
        expect(kinds).toEqual(cycles.flatMap(() => ['began', 'whole']));
      },
    );
  });

  it('says that a request began at its first byte, and that it is midway until its last', () => {
    const { requests } = new PostgresConversation();
    requests.push(startUp);
    const message = extended('SELECT 1');
    expect(requests.push(message.subarray(0, 1))).toEqual([{ kind: 'began' }]);
    expect(requests.midway).toBe(true);
    expect(requests.push(message.subarray(1, -1))).toEqual([]);
    expect(requests.push(message.subarray(-1)).map(({ kind }) => kind)).toEqual(['whole']);
    expect(requests.midway).toBe(false);
  });

  it.each([
    ['a cancel request', cancelRequest],
    ['another protocol', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['an older version', untyped(131_072, 'x')],
    ['a TLS hello', Buffer.from('1603010200010001fc0303', 'hex')],
    ['a length that can not be', Buffer.concat([startUp, Buffer.from('5100000003', 'hex')])],
    ['a message of the server', Buffer.concat([startUp, ready('I')])],
    ['the same in a cycle', Buffer.concat([startUp, parse('', 'SELECT 1'), ready('I')])],
  ])('gives up at %s, and gives every byte back', (_name, stream) => {
    for (const chunks of [[stream], pieces(stream, [3, stream.length - 2])]) {
      const steps = sent(chunks);
      const given = steps.flatMap((step) =>
        step.kind === 'opaque' ? step.bytes : step.kind === 'pass' ? [step.bytes] : [],
      );
      expect(steps.at(-1)?.kind).toBe('opaque');
      expect(stream.subarray(0, Buffer.concat(given).length)).toEqual(Buffer.concat(given));
      if (chunks.length === 1) expect(Buffer.concat(given)).toEqual(stream);
    }
  });

  it('bounds a message and a cycle', () => {
    const long = Buffer.alloc(5);
    long.write('Q', 'latin1');
    long.writeUInt32BE(maxRequestBytes + 1, 1);
    expect(session().send(long).at(-1)?.kind).toBe('over-limit');
    const { send } = session();
    const half = parse('', 'x'.repeat(maxRequestBytes / 2));
    expect(send(half).map(({ kind }) => kind)).toEqual(['began']);
    expect(send(half).at(-1)?.kind).toBe('over-limit');
  });

  it('lets what a Flush asks about go ahead of its cycle, but no COMMIT', () => {
    const { send } = session();
    const asked = Buffer.concat([parse('s', 'INSERT INTO t VALUES (1)'), flush]);
    expect(send(asked)).toEqual([
      { kind: 'began' },
      { kind: 'pass', bytes: asked, when: 'in-turn' },
    ]);
    const rest = send(Buffer.concat([bind('s'), execute(), sync]));
    expect(rest.map((step) => step.kind === 'whole' && Buffer.concat(step.request.raw))).toEqual([
      Buffer.concat([bind('s'), execute(), sync]),
    ]);
    expect(send(flush)).toEqual([{ kind: 'pass', bytes: flush, when: 'in-turn' }]);
    const commit = Buffer.concat([parse('', 'COMMIT'), bind(''), execute(), flush]);
    expect(send(commit).map(({ kind }) => kind)).toEqual(['began']);
    expect(send(sync).map(({ kind }) => kind)).toEqual(['whole']);
  });

  it('passes the rows of a COPY on at once, and the Sync behind them where there is one', () => {
    const { send } = session();
    send(query('COPY t FROM STDIN'));
    for (const message of [typed('d', 'row\n'), typed('c')]) {
      expect(send(message)).toEqual([{ kind: 'pass', bytes: message, when: 'now' }]);
    }
    expect(send(sync).map(({ kind }) => kind)).toEqual(['began', 'whole']);
    send(extended('COPY t FROM STDIN'));
    send(typed('f', 'why\0'));
    expect(send(sync)).toEqual([{ kind: 'pass', bytes: sync, when: 'now' }]);
    expect(send(sync).map(({ kind }) => kind)).toEqual(['began', 'whole']);
  });
});

describe('what a Postgres session makes of a cycle', () => {
  it('calls a COMMIT mutating where its block changed something, with all the block said', () => {
    const { answer, facts } = session();
    facts(query('BEGIN'));
    answer(ready('T'));
    expect(facts(query("SELECT  1\n WHERE x = 'a'"))).toEqual([
      ['SELECT', "BEGIN; SELECT 1 WHERE x = 'a'", false],
    ]);
    answer(ready('T'));
    expect(facts(query('COMMIT'))).toEqual([
      ['COMMIT', "BEGIN; SELECT 1 WHERE x = 'a'; COMMIT", false],
    ]);
    answer(ready('I'));
    facts(query('BEGIN'));
    answer(ready('T'));
    facts(extended('INSERT INTO t VALUES ($1)', 'secret'));
    answer(ready('T'));
    expect(facts(query('END'))).toEqual([['END', 'BEGIN; INSERT INTO t VALUES ($1); END', true]]);
    answer(ready('I'));
    expect(facts(query('COMMIT'))).toEqual([['COMMIT', 'COMMIT', false]]);
  });

  it('calls a change outside a block mutating, also in one message with others', () => {
    const { answer, facts } = session();
    expect(facts(query('UPDATE t SET x = 1'))).toEqual([['UPDATE', 'UPDATE t SET x = 1', true]]);
    answer(ready('I'));
    expect(facts(query('begin; insert into t values (1); commit'))).toEqual([
      ['BEGIN', 'begin; insert into t values (1); commit', true],
    ]);
    answer(ready('I'));
    expect(facts(query('begin; insert into t values (1)'))[0]?.[2]).toBe(false);
    answer(ready('T'));
    expect(facts(query('rollback'))[0]).toEqual([
      'ROLLBACK',
      'begin; insert into t values (1); rollback',
      false,
    ]);
  });

  it('believes the server where a block stands: a failed one can make nothing last', () => {
    const { answer, facts } = session();
    facts(query('BEGIN'));
    answer(ready('T'));
    facts(query('INSERT INTO t VALUES (1)'));
    answer(error, ready('E'));
    expect(facts(query('COMMIT'))[0]?.[2]).toBe(false);
    answer(complete('ROLLBACK'), ready('I'));
    // Nobody saw the block begin: a function, or a message that was passed on.
    facts(query('SELECT 1'));
    answer(ready('T'));
    expect(facts(query('INSERT INTO t VALUES (1)'))[0]?.[2]).toBe(false);
    answer(ready('T'));
    expect(facts(query('COMMIT'))[0]?.[2]).toBe(true);
  });

  it('goes by the statements where the server has not answered yet', () => {
    const { facts } = session();
    const all = [
      'BEGIN',
      'INSERT INTO t VALUES (1)',
      'COMMIT',
      'SELECT 1',
      'INSERT INTO t VALUES (2)',
    ];
    expect(facts(Buffer.concat(all.map(query)))).toEqual([
      ['BEGIN', 'BEGIN', false],
      ['INSERT', 'BEGIN; INSERT INTO t VALUES (1)', false],
      ['COMMIT', 'BEGIN; INSERT INTO t VALUES (1); COMMIT', true],
      ['SELECT', 'SELECT 1', false],
      ['INSERT', 'INSERT INTO t VALUES (2)', true],
    ]);
  });

  it('knows a prepared statement by its name, and calls one it does not know a change', () => {
    const { answer, facts, send } = session();
    send(
      Buffer.concat([parse('put', 'INSERT INTO t VALUES ($1)'), parse('get', 'SELECT 1'), sync]),
    );
    answer(ready('I'));
    const run = (name: string) => Buffer.concat([bind(name, 'v', 'p'), execute('p'), sync]);
    expect(facts(run('put'))).toEqual([['INSERT', 'INSERT INTO t VALUES ($1)', true]]);
    answer(ready('I'));
    expect(facts(run('get'))).toEqual([['SELECT', 'SELECT 1', false]]);
    answer(ready('I'));
    send(Buffer.concat([typed('C', 'Sget\0'), sync]));
    answer(ready('I'));
    expect(facts(run('get'))).toEqual([['EXECUTE', 'EXECUTE get', true]]);
    answer(ready('I'));
    for (let n = 0; n < maxNames; n += 1) send(parse(`n${n}`, 'SELECT 1'));
    send(sync);
    answer(ready('I'));
    expect(facts(run('put'))).toEqual([['EXECUTE', 'EXECUTE put', true]]);
  });
});

describe('the framing of a Postgres server', () => {
  const row = typed('D', 'Z\0\0\0\x05I');
  const prologue = Buffer.concat([typed('R', '\0\0\0\0'), typed('S', 'a\0b\0'), ready('I')]);
  const [began, rows, failed, rolledBack] = [
    Buffer.concat([complete('BEGIN'), ready('T')]),
    Buffer.concat([notice, typed('1'), typed('2'), row, row, complete('SELECT 2'), ready('T')]),
    Buffer.concat([error, ready('E')]),
    Buffer.concat([complete('ROLLBACK'), ready('I')]),
  ] as const;

  it.each([
    ['BEGIN', began, 200],
    ['SELECT', rows, 200],
    ['INSERT', failed, 400],
    ['COMMIT', rolledBack, 409],
    ['ROLLBACK', rolledBack, 200],
  ] as const)(
    'ends the reply to %s with ReadyForQuery, whatever the pieces',
    (method, reply, status) => {
      // The request is at hand before the start-up is over, which answers nothing.
      const before = Buffer.concat([Buffer.from('N'), prologue]);
      everyWay(Buffer.concat([before, reply, notice]), (chunks) => {
        const conversation = new PostgresConversation();
        conversation.requests.push(sslRequest);
        const framer = conversation.openReplies();
        framer.expect({ ...request, method });
        const steps = chunks.flatMap((chunk) => framer.push(chunk));
        const parts = steps.flatMap((step) => (step.kind === 'part' ? [step] : []));
        expect(Buffer.concat(parts.map(({ bytes }) => bytes))).toEqual(reply);
        expect(parts.map(({ whole }) => whole).indexOf(true)).toBe(parts.length - 1);
        expect(parts.at(-1)?.status).toBe(status);
        const asides = steps.flatMap((step) => (step.kind === 'aside' ? [step.bytes] : []));
        expect(Buffer.concat(asides)).toEqual(Buffer.concat([before, notice]));
      });
    },
  );

  it('keeps to the messages in what comes between two replies', () => {
    const { answer, send } = session();
    expect(answer(notice.subarray(0, 7))).toEqual([
      { kind: 'aside', bytes: notice.subarray(0, 7) },
    ]);
    expect(answer(notice.subarray(7)).map(({ kind }) => kind)).toEqual(['aside']);
    expect(send(query('SELECT 1')).map(({ kind }) => kind)).toEqual(['began', 'whole']);
  });

  it('passes on what is no message, once and for all', () => {
    const { answer } = session();
    expect(answer(Buffer.from('1\0\0\0\x01rest')).map(({ kind }) => kind)).toEqual(['opaque']);
    expect(answer(Buffer.from('more'))).toEqual([{ kind: 'opaque', bytes: Buffer.from('more') }]);
  });
});

describe('the words of a Postgres wire', () => {
  it.each([
    [503, '57P01'],
    [504, '08006'],
  ])('%i is a fatal error with SQLSTATE %s, after which the connection ends', (status, code) => {
    const { bytes, ends } = new PostgresConversation().answer(request, { status, body: 'x' });
    expect(ends).toBe(true);
    expect(bytes.readUInt32BE(1)).toBe(bytes.length - 1);
    expect(bytes.toString('latin1', 5)).toMatch(
      new RegExp(`^SFATAL\0VFATAL\0C${code}\0M[^\0]+\0\0$`),
    );
  });

  it('hold no other status and no foreign reply', () => {
    expect(() => new PostgresConversation().answer(request, { status: 500, body: '' })).toThrow(
      /500/,
    );
    expect(() => new PostgresConversation().foreignReply()).toThrow(/plan no foreign one/);
  });
});
