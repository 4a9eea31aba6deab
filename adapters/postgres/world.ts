/**
 * What people do to a database of credits while the subject is not looking. In: an event, the request
 * it is about, and the person's own connection. Out: nothing, or an error where there is nothing to do
 * it on.
 */
import type { RailWorldEvent } from '../rail.ts';
import type { JsonObject } from '../target.ts';
import type { AdminConnection } from './admin.ts';

export type PersonalEvent = Exclude<RailWorldEvent, 'rail-restarted'>;

export interface Place {
  /** With the person's rights. */
  readonly person: AdminConnection;
  /** With the rail's, to read its journal. */
  readonly rail: AdminConnection;
}

export async function performEvent(
  { person, rail }: Place,
  event: PersonalEvent,
  request: JsonObject,
): Promise<void> {
  const { account, reference, amountMinor, currency } = request;
  switch (event) {
    case 'done-by-hand':
      await person.query(
        'INSERT INTO credits (account,reference,amount_minor,currency) VALUES ($1,$2,$3,$4)',
        [account, reference, amountMinor, currency],
      );
      return;
    case 'undone-by-hand': {
      const [ours] = await rail.query<{ entity_id: string }>(oursSql, [account, reference]);
      if (ours === undefined) {
        throw new Error(
          `Postgres rail: expected a credit of the subject's for ${account}/${reference} to undo; there is none. Let it land first.`,
        );
      }
      await person.query('DELETE FROM credits WHERE id = $1', [ours.entity_id]);
      return;
    }
    case 'premise-changed':
      await changeStanding(person, account);
      return;
    case 'premise-changed-and-back':
      await changeStanding(person, account);
      await changeStanding(person, account);
      return;
    case 'unrelated-change':
      await person.query(
        `${changeSql} WHERE account = (SELECT min(account) FROM accounts WHERE account <> $1)`,
        [account],
      );
      return;
    default:
      event satisfies never;
  }
}

async function changeStanding(person: AdminConnection, account: unknown): Promise<void> {
  const changed = await person.query(`${changeSql} WHERE account = $1 RETURNING account`, [
    account,
  ]);
  if (changed.length === 0) {
    throw new Error(
      `Postgres rail: expected the account of the request to change its standing; came ${JSON.stringify(account)}, which the database has not. Use a request of examples().`,
    );
  }
}

/** Twice is there and back. */
const changeSql = `UPDATE accounts SET standing = CASE standing WHEN 'good' THEN 'under review' ELSE 'good' END`;

/** The subject's latest credit that is still there. */
const oursSql = `SELECT entity_id FROM killpoint.journal AS made
WHERE actor = 'subject' AND subject = $1::text || '/' || $2::text
  AND EXISTS (SELECT FROM public.credits WHERE id = made.entity_id)
ORDER BY seq DESC LIMIT 1`;
