import { describe, expect, it } from 'vitest';
import { maxTextCharacters, statementsOf } from './sql-text.ts';

const kinds = (sql: string) => statementsOf(sql).map(({ kind }) => kind);

describe('the statements of an SQL text', () => {
  it('end at semicolons, but not at those in quotes, comments and parentheses', () => {
    const sql = `
      insert into t values (';', E'it\\'s;', "a;""b", $$;$$, $tag$ ; $$ ; $tag$) -- ; here
      ; /* one; /* two; */ three; */ SELECT $1;; create rule r as on insert to t do (a; b)`;
    expect(statementsOf(sql).map(({ text }) => text)).toEqual([
      `insert into t values (';', E'it\\'s;', "a;""b", $$;$$, $tag$ ; $$ ; $tag$)`,
      'SELECT $1',
      'create rule r as on insert to t do (a; b)',
    ]);
  });

  it('are known by their first word, comments and parentheses aside', () => {
    expect(
      statementsOf('/* why */ insert into t; (select 1); with x as (select 1) select').map(
        ({ keyword }) => keyword,
      ),
    ).toEqual(['INSERT', 'SELECT', 'WITH']);
    expect(statementsOf(' -- nothing\n ; ')).toEqual([]);
  });

  it('are told to people with their spaces collapsed, and cut', () => {
    expect(statementsOf('SELECT\n\t 1 -- one')[0]?.text).toBe('SELECT 1');
    expect(statementsOf(`SELECT ${'x'.repeat(1000)}`)[0]?.text).toHaveLength(maxTextCharacters);
  });

  it('end in what was never closed', () => {
    for (const open of ["'", '"', '$$', '/*', "E'", '$a$']) {
      expect(statementsOf(`SELECT ${open} ; x`), open).toHaveLength(1);
    }
  });

  it.each([
    ['BEGIN; start transaction', ['begins', 'begins']],
    ['COMMIT; end; commit and chain', ['commits', 'commits', 'commits']],
    ['ROLLBACK; abort; prepare transaction $$x$$', ['abandons', 'abandons', 'abandons']],
    [
      'rollback to s; ROLLBACK WORK TO SAVEPOINT s; rollback prepared $$x$$',
      ['reads', 'reads', 'reads'],
    ],
    [
      'SAVEPOINT s; release s; set x = 1; show x; declare c cursor for select 1',
      Array(5).fill('reads'),
    ],
    ["SELECT 'INTO' FROM t FOR UPDATE; SELECT f(1)", ['reads', 'reads']],
    ['SELECT 1 INTO t', ['changes']],
    ['WITH a AS (SELECT 1) SELECT * FROM a FOR NO KEY UPDATE', ['reads']],
    ['WITH a AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM a', ['changes']],
    ['explain select 1; EXPLAIN ANALYZE DELETE FROM t', ['reads', 'changes']],
    [
      'INSERT INTO t; UPDATE t; DELETE FROM t; MERGE INTO t; CALL p(); DO $$ $$',
      Array(6).fill('changes'),
    ],
    ["COMMIT PREPARED 'x'; COPY t FROM STDIN; EXECUTE p; whatever", Array(4).fill('changes')],
  ])('%s', (sql, expected) => {
    expect(kinds(sql)).toEqual(expected);
  });
});
