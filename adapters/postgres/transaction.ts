/**
 * A transaction as every write of the target needs it. In: how long its statements may take. Out: a
 * begun transaction on a server that keeps what it commits, or why not. COMMIT is a cycle of its own,
 * so that until it is sent nothing can have taken effect.
 */
import type { Answer, Session } from './connection.ts';

export interface Patience {
  /** What is left of the call. */
  readonly leftMs: number;
  /** When the server ends the transaction, whatever it is doing; null: never. */
  readonly lifeMs: number | null;
}

/** Parts of what is left of the call: the server gives up before the client does, and says so. */
const lockShare = 0.6;
const statementShare = 0.8;

/**
 * All in one cycle. The settings count for this transaction alone, so that a pooler's next client has
 * its own. The texts are short because a wire may cut what it shows of a transaction.
 */
export function beginSql({ leftMs, lifeMs }: Patience): string {
  const part = (share: number) => Math.max(1, Math.floor(leftMs * share));
  return [
    // Under a stricter level a lost ON CONFLICT is an error (40001) instead of no row.
    'BEGIN ISOLATION LEVEL READ COMMITTED',
    'SET LOCAL synchronous_commit=on',
    `SET LOCAL lock_timeout=${part(lockShare)}`,
    `SET LOCAL statement_timeout=${part(statementShare)}`,
    'SHOW in_hot_standby',
    'SHOW fsync',
    'SHOW synchronous_commit',
    'SHOW transaction_isolation',
    ...(lifeMs === null ? [] : [lifeSql(lifeMs)]),
  ].join(';');
}

/**
 * statement_timeout ends before the work of COMMIT begins (measured), and transaction_timeout, of
 * Postgres 17, does not. An older server ends at least a transaction whose client says nothing more.
 */
function lifeSql(lifeMs: number): string {
  return `SELECT set_config(name,'${lifeMs}',true) FROM unnest(ARRAY['transaction_timeout','idle_in_transaction_session_timeout']) AS name WHERE current_setting(name,true) IS NOT NULL`;
}

/** Why this server is not to be trusted with an effect; null when it is. Pure. */
export function findFlaw({ rows }: Answer): string | null {
  const settings: Readonly<Record<string, string | null | undefined>> = Object.assign({}, ...rows);
  for (const { setting, wanted, why } of requirements) {
    const found = settings[setting];
    if (found !== wanted) {
      return `expected a server with ${setting} = ${wanted}, found ${found ?? 'nothing'}: ${why}`;
    }
  }
  return null;
}

const requirements = [
  {
    setting: 'in_hot_standby',
    wanted: 'off',
    why: 'a standby takes no writes and misses the latest; connect to the primary',
  },
  {
    setting: 'fsync',
    wanted: 'on',
    why: 'what it commits can be lost in a power cut; turn fsync on',
  },
  {
    setting: 'synchronous_commit',
    wanted: 'on',
    why: 'it acknowledges what is not on disk, and SET LOCAL did not change that; ask whoever is between here and the server',
  },
  {
    setting: 'transaction_isolation',
    wanted: 'read committed',
    why: 'under another level a lost conflict can’t be told from an error; let BEGIN set it',
  },
] as const;

/** True when the server says in its own words that the transaction is gone. */
export async function rollBack(session: Session): Promise<boolean> {
  try {
    const { command } = await session.send('ROLLBACK');
    if (command === 'ROLLBACK') return true;
  } catch {
    // Whatever failed, the transaction is not provably gone; the connection goes with it.
  }
  session.discard();
  return false;
}
