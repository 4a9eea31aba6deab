/**
 * What many services run today: a table of jobs. Work is written down before it is done, whatever is
 * not marked done is run again after a restart, and a failed call is tried a few times. `naive` and
 * `key-only` differ in one line: the key each call carries.
 */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { JsonObject } from '../../adapters/target.ts';
import type { Gate, Outcome, Proposal } from '../gate.ts';
import { runSubject, type SubjectContext } from '../subject.ts';

const triesPerRun = 3;

interface Job {
  readonly subject: string;
  readonly request: string;
  readonly request_id: string;
  readonly attempts: number;
  readonly entity_id: string | null;
}

/** `keyFor` names the key of one call for a job. */
export function runJobTable(name: string, keyFor: (subject: string) => string): void {
  runSubject({
    name,
    version: '1',
    points: [
      'before_wal',
      'after_wal_before_call',
      'after_call_before_commit',
      'after_commit_before_ack',
    ],
    resolves: false,
    openGate: (context) => openJobTable(context, keyFor),
  });
}

function openJobTable(context: SubjectContext, keyFor: (subject: string) => string): Gate {
  const { target, at } = context;
  const database = new Database(join(context.start.ledger, 'jobs.db'));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec(`CREATE TABLE IF NOT EXISTS jobs (
    subject TEXT PRIMARY KEY, request TEXT NOT NULL, request_id TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0, entity_id TEXT
  ) STRICT`);
  const insert = database.prepare(
    'INSERT INTO jobs (subject, request, request_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const find = database.prepare<[string], Job>('SELECT * FROM jobs WHERE subject = ?');
  const pending = database.prepare<[], Job>('SELECT * FROM jobs WHERE entity_id IS NULL');
  const countAttempt = database.prepare(
    'UPDATE jobs SET attempts = attempts + 1 WHERE subject = ?',
  );
  const markDone = database.prepare('UPDATE jobs SET entity_id = ? WHERE subject = ?');

  const subjectOf = (request: JsonObject) => target.identify(request).subject;
  const jobFor = (subject: string) => find.get(subject);

  async function perform(job: Job, announce: typeof at): Promise<void> {
    for (let attempt = job.attempts + 1; attempt <= job.attempts + triesPerRun; attempt += 1) {
      countAttempt.run(job.subject);
      announce({ point: 'after_wal_before_call', intent: job.request_id, attempt });
      const request = JSON.parse(job.request) as JsonObject;
      const result = await target.apply({ key: keyFor(job.subject), request, attempt });
      announce({ point: 'after_call_before_commit', intent: job.request_id, attempt });
      if (result.kind === 'landed') {
        markDone.run(result.entityId, job.subject);
        announce({ point: 'after_commit_before_ack', intent: job.request_id, attempt });
        return;
      }
    }
  }

  return {
    async submit(proposal: Proposal): Promise<Outcome> {
      const subject = subjectOf(proposal.request);
      insert.run(subject, JSON.stringify(proposal.request), proposal.requestId);
      const job = jobFor(subject);
      if (job !== undefined && job.entity_id === null) {
        at({ point: 'before_wal', intent: job.request_id, attempt: 0 });
        await perform(job, at);
      }
      return describe(jobFor(subject));
    },
    async recover(): Promise<void> {
      for (const job of pending.all()) await perform(job, () => undefined);
    },
    ask: async (request) => describe(jobFor(subjectOf(request))),
    resolve: async (request) => describe(jobFor(subjectOf(request))),
    async close(): Promise<void> {
      await target.close?.();
      database.close();
    },
  };
}

function describe(job: Job | undefined): Outcome {
  const done = job !== undefined && job.entity_id !== null;
  return {
    outcome: done ? 'happened' : job === undefined ? 'absent' : 'unknown',
    disposition: job === undefined || done ? 'settled' : 'working',
    final: done,
    state: job === undefined ? null : done ? 'done' : 'pending',
    entityId: job?.entity_id ?? null,
    attempts: job?.attempts ?? 0,
    evidence: done ? 'the service answered the call' : 'the job is not marked done',
    receipt: null,
  };
}
