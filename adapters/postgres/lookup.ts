/**
 * What became of a key. In: the key. Out: the effect under it, its absence, or that it could not be
 * told. `plantFence` makes an absence final: what was sent before it finds the fence and writes nothing.
 */
import { DatabaseError } from 'pg';
import type { FenceResult, QueryResult } from '../target.ts';
import { findFaultOfCommit, wordsOf } from './classify.ts';
import type { Variant } from './configuration.ts';
import type { Row, Session } from './connection.ts';
import { beginSql, findFlaw, rollBack } from './transaction.ts';

/** Rejects where no answer came. */
export async function findEffect(
  session: Session,
  key: string,
  variant: Variant['name'],
): Promise<QueryResult> {
  const { rows } = await session.send(variant === 'lookup' ? byStampSql : byKeySql, [key]);
  const [place] = rows;
  // A standby can miss what the primary has committed.
  if (place?.standby !== 'f') {
    return couldNotTell('expected the primary, came a server in recovery; connect to the primary');
  }
  const entityIds = rows.flatMap(({ entity_id: id }) => (typeof id === 'string' ? [id] : []));
  const [first, ...others] = entityIds;
  if (first === undefined) return { kind: 'absent', complete: true };
  return others.length === 0 ? { kind: 'found', entityId: first } : { kind: 'many', entityIds };
}

/** The first row says which server was asked, also when there is nothing under the key. */
const lookSql = (found: string) =>
  `SELECT pg_is_in_recovery() AS standby,entity_id FROM (VALUES (0)) AS asked LEFT JOIN (${found}) AS found ON true`;
const byKeySql = lookSql(`SELECT entity_id FROM effects WHERE effect_key=$1 AND kind='effect'`);
/** Deleted credits are in it: they took effect all the same. */
const byStampSql = lookSql(
  `SELECT DISTINCT credit_id AS entity_id FROM credit_changes WHERE effect_key=$1 AND what='made'`,
);

/**
 * Plants a fence where no effect is. One that stands is planted anew, with an id of its own, so that a
 * resend which has read the older one is stopped as well. Rejects where no answer came.
 */
export async function plantFence(session: Session, key: string): Promise<FenceResult> {
  let there: Row | undefined;
  try {
    const flaw = findFlaw(await session.send(beginSql({ leftMs: session.leftMs(), lifeMs: null })));
    if (flaw !== null) {
      await rollBack(session);
      return couldNotTell(flaw);
    }
    const { rows } = await session.send(plantSql, [key]);
    if (rows.length > 0) return await settlePlanting(session);
    // Waited for, and not visible to the statement that waited: a new one sees it.
    there = (await session.send(readSql, [key])).rows[0];
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    await rollBack(session);
    return couldNotTell(wordsOf(error));
  }
  await rollBack(session);
  return there?.kind === 'effect' && typeof there.entity_id === 'string'
    ? { kind: 'found', entityId: there.entity_id }
    : couldNotTell('expected an effect under the key where no fence could be planted, came none');
}

async function settlePlanting(session: Session): Promise<FenceResult> {
  const fault = findFaultOfCommit(await session.send('COMMIT'));
  if (fault === null) return { kind: 'planted' };
  session.discard();
  return couldNotTell(fault.kind === 'unknown' ? fault.detail : 'the planting was rolled back');
}

const plantSql = `INSERT INTO effects (effect_key,kind) VALUES ($1,'fence') ON CONFLICT (effect_key) DO UPDATE SET fence_id=DEFAULT WHERE effects.kind='fence' RETURNING fence_id`;
const readSql = 'SELECT kind,entity_id FROM effects WHERE effect_key=$1';

function couldNotTell(detail: string): {
  readonly kind: 'could-not-tell';
  readonly detail: string;
} {
  return { kind: 'could-not-tell', detail };
}
