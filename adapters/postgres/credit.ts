/**
 * One attempt at a credit: one transaction, in which the effect's row and the business write stand or
 * fall together. In: the attempt and the variant. Out: what became of it. Whoever loses against a row
 * that is there writes nothing, reads again in a new statement and says what that row proves.
 */
import { DatabaseError } from 'pg';
import type { ApplyResult } from '../target.ts';
import {
  classifyCommitError,
  classifyStatementError,
  findFaultOfCommit,
  refusedMendable,
} from './classify.ts';
import type { Variant } from './configuration.ts';
import type { Row, Session } from './connection.ts';
import type { CreditRequest } from './request.ts';
import { beginSql, findFlaw, rollBack } from './transaction.ts';

export interface Attempt {
  readonly key: string;
  readonly attempt: number;
  readonly credit: CreditRequest;
  readonly variant: Variant;
}

/** Rejects with NoAnswerError where no answer came. */
export async function makeCredit(session: Session, attempt: Attempt): Promise<ApplyResult> {
  let written: Written;
  try {
    written = await write(session, attempt);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return classifyStatementError(error, await rollBack(session));
  }
  if (written.kind === 'nothing') {
    return (await rollBack(session)) ? written.result : rollBackLost(written.result);
  }
  try {
    const fault = findFaultOfCommit(await session.send('COMMIT'));
    if (fault === null) return readCredit(written.row);
    session.discard();
    return fault;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    session.discard();
    return classifyCommitError(error);
  }
}

type Written =
  | { readonly kind: 'credit'; readonly row: Row }
  /** Nothing is written, and the transaction is to be rolled back. */
  | { readonly kind: 'nothing'; readonly result: ApplyResult };

async function write(session: Session, attempt: Attempt): Promise<Written> {
  const { variant } = attempt;
  const lifeMs = variant.name === 'lookup' && variant.enforceBound ? variant.landingBoundMs : null;
  const begun = await session.send(beginSql({ leftMs: session.leftMs(), lifeMs }));
  const flaw = findFlaw(begun);
  if (flaw !== null) return { kind: 'nothing', result: refusedMendable(flaw) };
  switch (variant.name) {
    case 'unique':
      return claim(session, attempt);
    case 'fenced':
      return attempt.attempt === 1 ? claim(session, attempt) : claimAgain(session, attempt);
    case 'lookup': {
      const { rows } = await session.send(insertSql, [attempt.key, ...creditValues(attempt)]);
      return toWritten(rows) ?? lostWithoutRow();
    }
    default:
      return variant satisfies never;
  }
}

/** The winner of the key writes the credit with it; the loser waits for the winner, then writes nothing. */
async function claim(session: Session, attempt: Attempt): Promise<Written> {
  const { rows } = await session.send(claimSql, [
    attempt.key,
    payloadOf(attempt),
    ...creditValues(attempt),
  ]);
  return toWritten(rows) ?? loseAgainst(await readEffect(session, attempt));
}

/**
 * A further attempt replaces the fence it has read, and no other: one that is planted after the reading
 * has another id and stops it. The database is asked, not the gate: a gate that died between fence and
 * resend remembers none, and one planted by another incarnation is as good.
 */
async function claimAgain(session: Session, attempt: Attempt): Promise<Written> {
  const there = await readEffect(session, attempt);
  if (there === null) return claim(session, attempt);
  if (there.kind !== 'fence') return loseAgainst(there);
  const { rows } = await session.send(takeOverSql, [
    attempt.key,
    payloadOf(attempt),
    ...creditValues(attempt),
    there.fence_id ?? null,
  ]);
  return toWritten(rows) ?? loseAgainst(await readEffect(session, attempt));
}

/** The row of the key as it is now, which the statement that lost against it could not see. */
async function readEffect(session: Session, attempt: Attempt): Promise<Row | null> {
  const { rows } = await session.send(readSql, [attempt.key, payloadOf(attempt)]);
  return rows[0] ?? null;
}

/** Pure. */
function loseAgainst(there: Row | null): Written {
  if (there === null) return lostWithoutRow();
  if (there.kind === 'fence') {
    return nothing(
      refusedMendable(
        `Nothing was written: fence ${there.fence_id ?? ''} stands under this key, and only a further attempt of a fenced target takes it over.`,
      ),
    );
  }
  if (there.same_payload !== 't') {
    return nothing({
      kind: 'refused',
      reason: `Nothing was written: the key is taken by ${there.entity_id ?? ''}, whose payload is another one.`,
      mendable: false,
    });
  }
  return nothing(readCredit(there));
}

function lostWithoutRow(): Written {
  return nothing(refusedMendable('Nothing was written, and no row says against what it lost.'));
}

function nothing(result: ApplyResult): Written {
  return { kind: 'nothing', result };
}

function toWritten([row]: readonly Row[]): Written | null {
  return row === undefined ? null : { kind: 'credit', row };
}

/** What was read stands, since others committed it; what was refused is not proven undone. */
function rollBackLost(result: ApplyResult): ApplyResult {
  return result.kind === 'refused'
    ? {
        kind: 'unknown',
        cause: 'connection',
        detail: `${result.reason} ROLLBACK was not answered.`,
      }
    : result;
}

function readCredit({ entity_id: entityId, effect_key: stamp }: Row): ApplyResult {
  return typeof entityId === 'string'
    ? { kind: 'landed', entityId, stamp: stamp ?? null }
    : { kind: 'unknown', cause: 'unreadable', detail: 'expected the id of a credit, came none' };
}

/** jsonb compares by content, so that a key order of another version is the same payload. */
function payloadOf({ credit }: Attempt): string {
  return JSON.stringify(credit);
}

function creditValues({ credit }: Attempt): readonly (string | null)[] {
  const { account, reference, amountMinor, currency, reason } = credit;
  return [account, reference, String(amountMinor), currency, reason];
}

const creditColumns = 'account,reference,amount_minor,currency,reason';
const returning = 'RETURNING id AS entity_id,effect_key';

const claimSql = `WITH won AS (INSERT INTO effects (effect_key,kind,payload,entity_id) VALUES ($1,'effect',$2,gen_random_uuid()) ON CONFLICT DO NOTHING RETURNING effect_key,entity_id) INSERT INTO credits (id,effect_key,${creditColumns}) SELECT entity_id,effect_key,$3,$4,$5::bigint,$6,$7 FROM won ${returning}`;

const takeOverSql = `WITH won AS (UPDATE effects SET kind='effect',payload=$2,entity_id=gen_random_uuid(),recorded_at=clock_timestamp() WHERE effect_key=$1 AND kind='fence' AND fence_id=$8::bigint RETURNING effect_key,entity_id) INSERT INTO credits (id,effect_key,${creditColumns}) SELECT entity_id,effect_key,$3,$4,$5::bigint,$6,$7 FROM won ${returning}`;

const insertSql = `INSERT INTO credits (effect_key,${creditColumns}) VALUES ($1,$2,$3,$4::bigint,$5,$6) ${returning}`;

const readSql =
  'SELECT effect_key,kind,entity_id,fence_id,payload=$2::jsonb AS same_payload FROM effects WHERE effect_key=$1';
