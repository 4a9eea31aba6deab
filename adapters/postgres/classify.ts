/**
 * What an answer of Postgres proves. In: an error, and whether COMMIT had been sent. Out: refused or
 * unknown. "Refused" needs the server's own words that nothing was kept: an error to a statement and
 * an answered ROLLBACK, or an error to COMMIT of a kind that only an aborted transaction has.
 */
import { DatabaseError } from 'pg';
import type { ApplyResult } from '../target.ts';
import { type Answer, NoAnswerError, NotAdmittedError } from './connection.ts';

/** Never sent, hence provably without effect. */
export function refusedUnsent(reason: string): ApplyResult {
  return { kind: 'refused', reason: `Nothing was sent: ${reason}`, mendable: false };
}

/** Rolled back or never begun, and a person can lift what stopped it. */
export function refusedMendable(reason: string): ApplyResult {
  return { kind: 'refused', reason, mendable: true };
}

/** SQLSTATEs, and classes of them by their first two characters. */
const lockNotAvailable = '55P03';
/** Data exceptions, integrity constraints and what triggers raise: the database's own rules. */
const ownRules = ['22', '23', 'P0'];
/** Wrong user or password, no such database, no right to connect, too many connections. */
const notForThisClient = ['28', '3D', '42', '53'];

/** `isGone`: the ROLLBACK that followed was answered as one. */
export function classifyStatementError(error: DatabaseError, isGone: boolean): ApplyResult {
  const said = wordsOf(error);
  // An attempt whose fate is open holds the row. Ours had no effect, and says nothing of that one.
  if (error.code === lockNotAvailable) return unknown('in-flight', said);
  // A dead connection can't commit what it never asked to commit. But no word of the server shows
  // that it is dead at the other end too, so that this is left to a look.
  if (!isGone) return unknown('connection', said);
  return isOf(error.code, ownRules)
    ? { kind: 'refused', reason: said, mendable: false }
    : refusedMendable(said);
}

/** An error to COMMIT itself. A deferred constraint or trigger aborts the transaction; the rest could be anything. */
export function classifyCommitError(error: DatabaseError): ApplyResult {
  const said = `COMMIT: ${wordsOf(error)}`;
  if (error.code === lockNotAvailable) return unknown('in-flight', said);
  if (isOf(error.code, ownRules)) return { kind: 'refused', reason: said, mendable: false };
  return unknown('server-error', said);
}

/** Null: it was committed, and is where the server has promised to keep it. */
export function findFaultOfCommit({ command, warnings }: Answer): ApplyResult | null {
  // A cancelled wait for a synchronous standby is only a warning, and the effect is there; so is "there
  // is no transaction in progress", and it is not.
  if (warnings.length > 0) return unknown('server-error', `COMMIT warned: ${warnings.join('; ')}`);
  if (command === 'COMMIT') return null;
  // The transaction had failed, and no answer before had said so. The server names what it did: all of
  // it is undone, and another attempt may fare better.
  if (command === 'ROLLBACK') return refusedMendable('COMMIT was answered with ROLLBACK');
  return unknown('unreadable', `COMMIT was answered with ${command || 'no command'}`);
}

/** Everything that is no answer of a statement. Rethrows what is a fault of this program. */
export function classifyNoAnswer(error: unknown): ApplyResult {
  if (error instanceof NoAnswerError) return unknown(error.kind, error.message);
  if (error instanceof NotAdmittedError) {
    const said = `${error.code}: ${error.message}`;
    // A server that starts, stops or is full of others' errors says nothing that a person must mend.
    return isOf(error.code, notForThisClient)
      ? refusedMendable(`Nothing was sent: ${said}`)
      : unknown('server-error', said);
  }
  throw error;
}

export function wordsOf(error: unknown): string {
  if (error instanceof DatabaseError) return `${error.code ?? 'no SQLSTATE'}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

function unknown(
  cause: Extract<ApplyResult, { kind: 'unknown' }>['cause'],
  detail: string,
): ApplyResult {
  return { kind: 'unknown', cause, detail };
}

function isOf(code: string | undefined, classes: readonly string[]): boolean {
  return classes.includes((code ?? '').slice(0, 2));
}
