import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keepEvidence } from './kept-evidence.ts';
import { concealInBytes, concealInJson, secretsOf } from './secrets.ts';

const key = 'sk_test_tell_nobody';

describe('what must not be kept', () => {
  it('is every string of either credentials that is long enough for a secret', () => {
    const credentials = { apiKey: key, user: 'postgres', more: [{ password: 'correct horse "' }] };
    expect(secretsOf({ credentials, personCredentials: { apiKey: 'another long one' } })).toEqual([
      key,
      'correct horse "',
      'another long one',
    ]);
    expect(secretsOf({ credentials: {} })).toEqual([]);
  });

  it('is taken out of a line of JSON wherever it stands, and JSON remains', () => {
    const quoted = 'correct horse "\\';
    const line = JSON.stringify({ [key]: `a ${key} b`, deep: [quoted, key + key] });
    expect(JSON.parse(concealInJson(line, [key, quoted]))).toEqual({
      '[secret]': 'a [secret] b',
      deep: ['[secret]', '[secret][secret]'],
    });
    expect(concealInJson(line, [])).toBe(line);
  });

  it('is taken out of bytes that are no text, byte for byte', () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0]), Buffer.from(key), Buffer.from([0xfe])]);
    const kept = concealInBytes(Buffer.from(bytes), [key]);
    expect(kept.length).toBe(bytes.length);
    expect(kept.toString('latin1')).toBe(`\xff\0${'*'.repeat(key.length)}\xfe`);
  });
});

describe('kept evidence', () => {
  it('is the workspace without secrets; a ledger that held one can still be opened', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'killpoint-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const workspace = join(folder, 'workspace');
    mkdirSync(join(workspace, 'ledger'), { recursive: true });
    writeFileSync(join(workspace, 'stderr-1.txt'), `started with ${key}\n`);
    const ledger = new Database(join(workspace, 'ledger', 'ledger.db'));
    ledger.exec('create table notes (text text)');
    ledger.prepare('insert into notes values (?)').run(`it was ${key}`);
    ledger.close();
    const server = createServer().listen(join(workspace, 'socket'));
    onTestFinished(() => void server.close());
    writeFileSync(join(folder, 'trial.jsonl'), '');
    mkdirSync(join(folder, 'trial.evidence', 'of an earlier run'), { recursive: true });

    keepEvidence(workspace, join(folder, 'trial.jsonl'), [key]);

    const evidence = join(folder, 'trial.evidence');
    expect(readdirSync(evidence).sort()).toEqual(['ledger', 'stderr-1.txt']);
    const stars = '*'.repeat(key.length);
    expect(readFileSync(join(evidence, 'stderr-1.txt'), 'utf8')).toBe(`started with ${stars}\n`);
    const kept = new Database(join(evidence, 'ledger', 'ledger.db'), { readonly: true });
    expect(kept.prepare('select text from notes').pluck().get()).toBe(`it was ${stars}`);
    kept.close();
    expect(readFileSync(join(workspace, 'stderr-1.txt'), 'utf8')).toContain(key);
  });
});
