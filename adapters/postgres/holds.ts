/**
 * Credits that are stopped inside the server, at work on their COMMIT. In: the rail's connection to
 * one database. Out: a hold the subject's next credit runs into. The lock is the connection's, so that
 * nothing stays held when the rail is gone.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HeldRequest } from '../rail.ts';
import type { AdminConnection } from './admin.ts';

const pollMs = 3;

export interface ArmedHold extends HeldRequest {
  /** Resolves when what comes now is held. A hold is asked for at once, and the server is told of it. */
  readonly armed: Promise<void>;
}

export class Holds {
  readonly #rail: AdminConnection;
  #count = 0;
  #isClosed = false;

  constructor(rail: AdminConnection) {
    this.#rail = rail;
  }

  /** Also armed by the time anything else that is asked of this namespace afterwards is answered. */
  hold(): ArmedHold {
    this.#count += 1;
    const id = this.#count;
    const armed = leave(this.#arm(id));
    let isReleased = false;
    const reached = leave(
      armed.then(async () => {
        while (!this.#isClosed && !isReleased) {
          if (await this.#isReached(id)) return;
          await sleep(pollMs);
        }
        // Nothing will run into it any more, and nobody may be told that something did.
        await new Promise<never>(() => undefined);
      }),
    );
    return {
      armed,
      reached,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        void leave(armed.then(() => this.#disarm(id)));
      },
    };
  }

  close(): void {
    this.#isClosed = true;
  }

  async #arm(id: number): Promise<void> {
    await this.#rail.query(
      'INSERT INTO killpoint.holds (id) SELECT $1::bigint FROM pg_advisory_lock($1::bigint)',
      [id],
    );
  }

  /** One that nothing has run into is taken away; one that is taken is locked until its commit is done. */
  async #disarm(id: number): Promise<void> {
    await this.#rail.query(
      'DELETE FROM killpoint.holds WHERE id = (SELECT id FROM killpoint.holds WHERE id = $1 AND NOT taken FOR UPDATE SKIP LOCKED)',
      [id],
    );
    await this.#rail.query('SELECT pg_advisory_unlock($1)', [id]);
  }

  async #isReached(id: number): Promise<boolean> {
    const waiting = await this.#rail.query(waitingSql, [id]);
    return waiting.length > 0;
  }
}

/** A failure is for whoever waits for it; without a waiter it must not end the process. */
function leave<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

const waitingSql = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
AND classid = 0 AND objid = $1::bigint::oid`;
