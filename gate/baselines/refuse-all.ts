/** Records every request and refuses it. Nothing ever goes wrong and nothing ever happens. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Gate, Outcome } from '../gate.ts';
import { runSubject, type SubjectContext } from '../subject.ts';

runSubject({
  name: 'refuse-all',
  version: '1',
  points: ['before_wal', 'after_commit_before_ack'],
  resolves: false,
  openGate: openRefusals,
});

function openRefusals({ start, target, at }: SubjectContext): Gate {
  const database = new Database(join(start.ledger, 'refusals.db'));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec(
    'CREATE TABLE IF NOT EXISTS refusals (subject TEXT PRIMARY KEY, refused INTEGER NOT NULL) STRICT',
  );
  const record = database.prepare('INSERT INTO refusals VALUES (?, 0) ON CONFLICT DO NOTHING');
  const refuse = database.prepare('UPDATE refusals SET refused = 1 WHERE subject = ?');
  const find = database.prepare<[string], { refused: number }>(
    'SELECT refused FROM refusals WHERE subject = ?',
  );
  const describe = (subject: string): Outcome => {
    const row = find.get(subject);
    const refused = row?.refused === 1;
    return {
      outcome: refused ? 'refused' : 'absent',
      disposition: 'settled',
      final: false,
      state: row === undefined ? null : refused ? 'refused' : 'recorded',
      entityId: null,
      attempts: 0,
      evidence: 'everything is refused',
      receipt: null,
    };
  };
  return {
    async submit({ request, requestId }): Promise<Outcome> {
      const { subject } = target.identify(request);
      record.run(subject);
      at({ point: 'before_wal', intent: requestId, attempt: 0 });
      refuse.run(subject);
      at({ point: 'after_commit_before_ack', intent: requestId, attempt: 0 });
      return describe(subject);
    },
    recover: async () => undefined,
    ask: async (request) => describe(target.identify(request).subject),
    resolve: async (request) => describe(target.identify(request).subject),
    async close(): Promise<void> {
      await target.close?.();
      database.close();
    },
  };
}
