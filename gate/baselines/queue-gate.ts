/**
 * A job is a row of an outbox, written in the application's transaction. A worker claims a row for a
 * while, calls the service under the job's key, and marks the row done; a row whose worker died comes
 * back once its time is over and is delivered again. One that was delivered too often is parked for a
 * person. The lease is asked for when the job is written, and never again.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { ApplyResult } from '../../adapters/target.ts';
import type { Gate, Outcome, PointReached, Proposal } from '../gate.ts';
import type { SubjectContext } from '../subject.ts';
import {
  describeJob,
  type Job,
  type JobNaming,
  jobIdOf,
  type NewJob,
  newJob,
  readRequest,
} from './job.ts';

/** Longer than a call takes, so that a row comes back only from the dead. */
const visibilityMs = 600;
/** After a delivery that failed. */
const redeliveryMs = 50;
const mostDeliveries = 5;
const pollMs = 20;

/** An approval, or a reason, makes a job of its own; how much it is about does not. */
const naming: JobNaming = ({ operation, subject }, distinctBy) =>
  [operation, subject, ...(distinctBy === null ? [] : [distinctBy])].join('/');

/** Short and plain, whatever stands in a reason. */
const keyOf = ({ id }: Job) => createHash('sha256').update(id).digest('hex');

export async function openQueue(
  context: SubjectContext,
  databaseUrl: string | undefined,
): Promise<Gate> {
  if (databaseUrl === undefined || databaseUrl === '') {
    throw new Error(
      'expected DATABASE_URL to name the Postgres of the application, postgres://user@host/database; it is not set. Set it for the subject',
    );
  }
  const { target, authority, now, at } = context;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  // A server that goes away while nobody asks it anything is noticed by the next query.
  pool.on('error', () => undefined);
  await createOutbox(pool);

  async function deliver(job: Job, announce: (reached: PointReached) => void): Promise<void> {
    const reached = { intent: job.request_id, attempt: job.attempts };
    announce({ point: 'after_wal_before_call', ...reached });
    const request = readRequest(job);
    const result = await target.apply({ key: keyOf(job), request, attempt: job.attempts });
    announce({ point: 'after_call_before_commit', ...reached });
    if (result.kind !== 'landed') return await giveBack(pool, job, wordsOf(result));
    await pool.query(
      `UPDATE outbox SET state = 'done', entity_id = $2, evidence = 'the service answered it'
       WHERE id = $1`,
      [job.id, result.entityId],
    );
    announce({ point: 'after_commit_before_ack', ...reached });
  }

  /** Delivers until none of these rows is pending; one that another worker has is waited for. */
  async function work(id: string | null, announce: (reached: PointReached) => void): Promise<void> {
    while (await isPending(pool, id)) {
      const job = await claim(pool, id);
      if (job === undefined) await sleep(pollMs);
      else await deliver(job, announce);
    }
  }

  const answer = async (id: string): Promise<Outcome> => describeJob(await find(pool, id));

  return {
    async submit(proposal: Proposal): Promise<Outcome> {
      const wanted = newJob(target, naming, proposal);
      if ((await find(pool, wanted.id)) === undefined) {
        const lease = await authority.check(proposal.lease);
        const isLive =
          lease.kind === 'live' && (lease.expiresAtMs === null || lease.expiresAtMs > now());
        if (!isLive) return refuseUnwritten();
        await enqueue(pool, wanted);
      }
      const job = await find(pool, wanted.id);
      if (job?.state === 'pending') {
        at({ point: 'before_wal', intent: job.request_id, attempt: job.attempts });
        await work(job.id, at);
      }
      return await answer(wanted.id);
    },
    recover: () => work(null, () => undefined),
    ask: async (request) => await answer(jobIdOf(target, naming, request)),
    resolve: async (request) => await answer(jobIdOf(target, naming, request)),
    async close(): Promise<void> {
      await target.close?.();
      await pool.end();
    },
  };
}

async function createOutbox(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, async (client) => {
    // Two that create the same table at once can both fail; the lock lets one of them be first.
    await client.query('SELECT pg_advisory_xact_lock(7205759403)');
    await client.query(`CREATE TABLE IF NOT EXISTS outbox (
      id text PRIMARY KEY, request text NOT NULL, distinct_by text, request_id text NOT NULL,
      lease text NOT NULL, premises text NOT NULL, attempts integer NOT NULL DEFAULT 0,
      state text NOT NULL DEFAULT 'pending', entity_id text,
      evidence text NOT NULL DEFAULT 'not delivered',
      visible_at timestamptz NOT NULL DEFAULT now(), written_at timestamptz NOT NULL DEFAULT now()
    )`);
  });
}

/** The transaction is where the application would write what is its own. */
async function enqueue(pool: pg.Pool, job: NewJob): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query(
      `INSERT INTO outbox (id, request, distinct_by, request_id, lease, premises)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
      [job.id, job.request, job.distinct_by, job.request_id, job.lease, job.premises],
    );
  });
}

/** `id`: null for the oldest row of any job. */
async function claim(pool: pg.Pool, id: string | null): Promise<Job | undefined> {
  const { rows } = await pool.query<Job>(
    `UPDATE outbox SET attempts = attempts + 1, visible_at = now() + $2 * interval '1 ms'
     WHERE id = (
       SELECT id FROM outbox
       WHERE state = 'pending' AND visible_at <= now() AND ($1::text IS NULL OR id = $1)
       ORDER BY written_at LIMIT 1 FOR UPDATE SKIP LOCKED
     )
     RETURNING *`,
    [id, visibilityMs],
  );
  return rows[0];
}

async function giveBack(pool: pg.Pool, job: Job, evidence: string): Promise<void> {
  await pool.query(
    `UPDATE outbox
     SET state = $2, evidence = $3, visible_at = now() + $4 * interval '1 ms' WHERE id = $1`,
    [job.id, job.attempts < mostDeliveries ? 'pending' : 'parked', evidence, redeliveryMs],
  );
}

async function isPending(pool: pg.Pool, id: string | null): Promise<boolean> {
  const { rows } = await pool.query(
    "SELECT 1 FROM outbox WHERE state = 'pending' AND ($1::text IS NULL OR id = $1) LIMIT 1",
    [id],
  );
  return rows.length > 0;
}

async function find(pool: pg.Pool, id: string): Promise<Job | undefined> {
  const { rows } = await pool.query<Job>('SELECT * FROM outbox WHERE id = $1', [id]);
  return rows[0];
}

async function inTransaction(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<void>,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await work(client);
    await client.query('COMMIT');
    client.release();
  } catch (error) {
    // Nobody knows how far it got, so nobody gets this connection again.
    client.release(true);
    throw error;
  }
}

function wordsOf(result: Exclude<ApplyResult, { kind: 'landed' }>): string {
  return result.kind === 'refused' ? result.reason : `${result.cause}: ${result.detail}`;
}

function refuseUnwritten(): Outcome {
  return {
    ...describeJob(undefined),
    outcome: 'refused',
    evidence: 'the lease is not live, so nothing was written down',
  };
}
