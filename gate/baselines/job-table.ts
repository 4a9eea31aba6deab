/**
 * What many services run today: a table of jobs. Work is written down before it is done, whatever is
 * not marked done is run again after a restart, and a failed call is tried a few times. The gates
 * made of it differ in what they do before a call and in which of two requests are one job.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { Gate, Outcome, Proposal } from '../gate.ts';
import { runSubject, type SubjectContext } from '../subject.ts';
import {
  describeJob,
  type Job,
  type JobNaming,
  jobIdOf,
  jobPoints,
  newJob,
  readRequest,
} from './job.ts';

const triesPerRun = 3;
/** Before the second try; it doubles. */
const firstPauseMs = 20;

/** What came of one try. */
export type Tried =
  | { readonly kind: 'done'; readonly entityId: string; readonly evidence: string }
  | { readonly kind: 'refused'; readonly evidence: string }
  | { readonly kind: 'again'; readonly evidence: string };

export interface Routine {
  readonly naming: JobNaming;
  /** The key of one call for a job. */
  keyFor(job: Job): string;
  /** Whether the job's first request is the only one it takes. */
  readonly bindsRequest: boolean;
  /** Whether what the service refused is over and done with. */
  readonly takesRefusals: boolean;
  /** Runs before every call; what it settles is not sent. Absent: every try is a call. */
  beforeCall?(context: SubjectContext, job: Job): Promise<Tried | null>;
}

export function runJobTable(name: string, routine: Routine): void {
  runSubject({
    name,
    version: '1',
    points: jobPoints,
    resolves: false,
    openGate: (context) => openJobTable(context, routine),
  });
}

export function openJobTable(context: SubjectContext, routine: Routine): Gate {
  const { target, at } = context;
  const database = new Database(join(context.start.ledger, 'jobs.db'));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec(`CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, request TEXT NOT NULL, distinct_by TEXT, request_id TEXT NOT NULL,
    lease TEXT NOT NULL, premises TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'pending', entity_id TEXT, evidence TEXT NOT NULL DEFAULT 'not tried'
  ) STRICT`);
  // Whoever asks again for what is still to be done does so under a lease of his own.
  const insert = database.prepare(
    `INSERT INTO jobs (id, request, distinct_by, request_id, lease, premises)
     VALUES (@id, @request, @distinct_by, @request_id, @lease, @premises)
     ON CONFLICT DO UPDATE SET lease = excluded.lease, premises = excluded.premises
     WHERE state = 'pending' AND request = excluded.request`,
  );
  const find = database.prepare<[string], Job>('SELECT * FROM jobs WHERE id = ?');
  const pending = database.prepare<[], Job>("SELECT * FROM jobs WHERE state = 'pending'");
  const countAttempt = database.prepare('UPDATE jobs SET attempts = attempts + 1 WHERE id = ?');
  const settle = database.prepare(
    'UPDATE jobs SET state = ?, entity_id = ?, evidence = ? WHERE id = ?',
  );
  const underWay = new Map<string, Promise<void>>();

  function record(job: Job, tried: Tried): void {
    const state = tried.kind === 'again' ? 'pending' : tried.kind;
    settle.run(state, tried.kind === 'done' ? tried.entityId : null, tried.evidence, job.id);
  }

  async function carryOut(job: Job, announce: typeof at): Promise<void> {
    const intent = job.request_id;
    for (let tries = 0; tries < triesPerRun; tries += 1) {
      if (tries > 0) await sleep(firstPauseMs * 2 ** (tries - 1));
      const attempt = job.attempts + tries + 1;
      countAttempt.run(job.id);
      announce({ point: 'after_wal_before_call', intent, attempt });
      let tried = (await routine.beforeCall?.(context, job)) ?? null;
      if (tried === null) {
        tried = await call(job, attempt);
        announce({ point: 'after_call_before_commit', intent, attempt });
      }
      record(job, tried);
      if (tried.kind === 'again') continue;
      announce({ point: 'after_commit_before_ack', intent, attempt });
      return;
    }
  }

  async function call(job: Job, attempt: number): Promise<Tried> {
    const key = routine.keyFor(job);
    const result = await target.apply({ key, request: readRequest(job), attempt });
    switch (result.kind) {
      case 'landed':
        return { kind: 'done', entityId: result.entityId, evidence: 'the service answered it' };
      case 'refused':
        return { kind: routine.takesRefusals ? 'refused' : 'again', evidence: result.reason };
      case 'unknown':
        return { kind: 'again', evidence: `${result.cause}: ${result.detail}` };
      default:
        return result satisfies never;
    }
  }

  /** In this process one at a time works on a job; of other processes it knows nothing. */
  async function work(job: Job, announce: typeof at): Promise<void> {
    const running = underWay.get(job.id) ?? carryOut(job, announce);
    underWay.set(job.id, running);
    await running.finally(() => underWay.delete(job.id));
  }

  const answer = (id: string): Outcome => describeJob(find.get(id));

  return {
    async submit(proposal: Proposal): Promise<Outcome> {
      const wanted = newJob(target, routine.naming, proposal);
      insert.run(wanted);
      const job = find.get(wanted.id);
      if (job === undefined) throw new Error(`job ${wanted.id} was inserted and is not there`);
      if (routine.bindsRequest && job.request !== wanted.request) return refuseOther(job);
      if (job.state === 'pending') {
        at({ point: 'before_wal', intent: job.request_id, attempt: job.attempts });
        await work(job, at);
      }
      return answer(job.id);
    },
    async recover(): Promise<void> {
      for (const job of pending.all()) await work(job, () => undefined);
    },
    ask: async (request) => answer(jobIdOf(target, routine.naming, request)),
    resolve: async (request) => answer(jobIdOf(target, routine.naming, request)),
    async close(): Promise<void> {
      await target.close?.();
      database.close();
    },
  };
}

/** What HTTP calls a conflict: it speaks of this request and says nothing of the job. */
function refuseOther(job: Job): Outcome {
  return {
    ...describeJob(job),
    outcome: 'refused',
    disposition: 'settled',
    final: false,
    entityId: null,
    evidence: 'this was asked for before with another request',
  };
}
