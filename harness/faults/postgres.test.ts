/** Every fault of the wire that a Postgres service can meet, on a real transaction: which of them leave its row. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../wire/testing/postgres-server.ts';
import { strikePostgres } from './testing/strike-postgres.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.close());

const terminated = 'Connection terminated unexpectedly';
const answered = ['request-began', 'request-whole', 'forwarded', 'replied', 'dropped'];
const healed = { fired: true, second: 'committed' };
const bothRows = { rows: ['first', 'second'], rowsAfterRelease: ['first', 'second'] };
const secondRow = { rows: ['second'], rowsAfterRelease: ['second'] };

describe('a transaction over Postgres', () => {
  it('whose COMMIT is lost leaves no row', async () => {
    expect(await strikePostgres(server, 'request-lost')).toEqual({
      ...healed,
      ...secondRow,
      first: { code: 'ECONNRESET' },
      steps: ['request-began', 'request-whole', 'dropped'],
    });
  });

  it.each([
    ['reset', { code: 'ECONNRESET' }],
    ['end', { code: terminated }],
    ['silence', 'silence'],
  ] as const)('whose reply is lost to %s leaves its row', async (lostReply, first) => {
    expect(await strikePostgres(server, 'reply-lost', { lostReply })).toEqual({
      ...healed,
      ...bothRows,
      first,
      steps: answered,
    });
  });

  it('that meets an error before its COMMIT leaves no row', async () => {
    expect(await strikePostgres(server, 'error-before-apply')).toEqual({
      ...healed,
      ...secondRow,
      first: { code: '57P01' },
      steps: ['request-began', 'request-whole', 'dropped', 'delivered'],
    });
  });

  it('that meets an error in place of its reply leaves its row', async () => {
    expect(await strikePostgres(server, 'error-after-apply')).toEqual({
      ...healed,
      ...bothRows,
      first: { code: '08006' },
      steps: [...answered, 'delivered'],
    });
  });

  it('whose COMMIT comes late leaves its row when it is released, and none before', async () => {
    expect(await strikePostgres(server, 'late-apply')).toEqual({
      ...healed,
      first: 'silence',
      rows: ['second'],
      rowsAfterRelease: ['first', 'second'],
      steps: ['request-began', 'request-whole', 'held', 'forwarded', 'replied', 'dropped'],
    });
  });

  it('whose reply comes too late leaves its row', async () => {
    expect(await strikePostgres(server, 'slow')).toEqual({
      ...healed,
      ...bothRows,
      first: 'silence',
      steps: answered,
    });
  });

  it('whose reply breaks off leaves its row', async () => {
    expect(await strikePostgres(server, 'truncated-reply')).toEqual({
      ...healed,
      ...bothRows,
      first: { code: terminated },
      steps: answered,
    });
  });

  it('that can not reach the server leaves no row, and the next one can', async () => {
    const struck = await strikePostgres(server, 'partition');
    expect(struck).toMatchObject({ ...healed, ...secondRow });
    expect(struck.first).toEqual({ code: 'ECONNRESET' });
  });

  it('leaves no row where the server can not be reached again', async () => {
    const refused = { code: 'ECONNRESET' };
    expect(await strikePostgres(server, 'partition-forever')).toEqual({
      fired: true,
      first: refused,
      second: refused,
      rows: [],
      rowsAfterRelease: [],
      steps: [],
    });
  });
});
