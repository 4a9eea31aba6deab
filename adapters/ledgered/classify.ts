/**
 * What an answer of the ledger proves. In: a status and a body. Out: landed, refused or unknown;
 * found, planted or could-not-tell. "Refused" needs the ledger's own voice: a documented status *and*
 * an error of its shape. The same status from something in between says nothing of what happened
 * behind it.
 */
import { foundAmong } from '../found-among.ts';
import { isRecord, type Reply } from '../json-reply.ts';
import type { NoAnswerError } from '../single-send.ts';
import type { ApplyResult, FenceResult, QueryResult } from '../target.ts';

export function classifyPosting({ status, body }: Reply): ApplyResult {
  const entry = readEntry(body);
  if (status === 201 && entry !== null) {
    return { kind: 'landed', entityId: entry.entry, stamp: entry.id };
  }
  const failure = readFailure(body);
  if (failure === null) {
    return unknown(
      status >= 500 ? 'server-error' : 'unreadable',
      `expected an entry or an error of the ledger, came status ${status} with neither`,
    );
  }
  const said = `${status} ${failure.code}: ${failure.message}`;
  switch (status) {
    case 401:
    case 403:
    case 429:
    // The fence that stopped it can be read and taken over by another attempt.
    case 412:
      return { kind: 'refused', reason: said, mendable: true };
    case 400:
    case 404:
      return { kind: 'refused', reason: said, mendable: false };
    default:
      return unknown('server-error', said);
  }
}

export function classifyNoAnswer({ kind, message, status }: NoAnswerError): ApplyResult {
  // A 5xx is the server's failure, whatever came with it.
  return unknown(status !== null && status >= 500 ? 'server-error' : kind, message);
}

/** Never sent, hence provably without effect. */
export function refusedUnsent(reason: string, mendable: boolean): ApplyResult {
  return { kind: 'refused', reason: `Nothing was sent: ${reason}`, mendable };
}

interface FenceReading {
  readonly fence: { readonly version: number; readonly taken: boolean } | null;
}

/** The fence that stands under our id, or that none does; null when it could not be read. */
export function readFence({ status, body }: Reply, key: string): FenceReading | null {
  if (status !== 200 || !isRecord(body) || body.id !== key) return null;
  const { fence } = body;
  if (fence === null) return { fence };
  if (!isRecord(fence)) return null;
  const { version, taken } = fence;
  if (!Number.isSafeInteger(version) || typeof taken !== 'boolean') return null;
  return { fence: { version: Number(version), taken } };
}

export function classifyFence(reply: Reply, key: string): FenceResult {
  const reading = readFence(reply, key);
  const entityIds = readEntityIds(reply, key);
  if (reading === null || entityIds === null) return couldNotTell(reply);
  const [first, ...others] = entityIds;
  if (others.length > 0) {
    return { kind: 'could-not-tell', detail: `several: ${entityIds.join(', ')}` };
  }
  if (first !== undefined) return { kind: 'found', entityId: first };
  // A fence that is taken and has no entry under it contradicts itself.
  const { fence } = reading;
  return fence === null || fence.taken ? couldNotTell(reply) : { kind: 'planted' };
}

export function classifyLookup(reply: Reply, key: string): QueryResult {
  const entityIds = readEntityIds(reply, key);
  return entityIds === null ? couldNotTell(reply) : foundAmong(entityIds);
}

/** All entries under our id; null for another id, a list that goes on, or anything else. */
function readEntityIds({ status, body }: Reply, key: string): readonly string[] | null {
  if (status !== 200 || !isRecord(body)) return null;
  const { id, entries, hasMore } = body;
  if (id !== key || hasMore !== false || !Array.isArray(entries)) return null;
  const found = new Set<string>();
  for (const item of entries) {
    const entry = readEntry(item);
    if (entry?.id !== key) return null;
    found.add(entry.entry);
  }
  return [...found];
}

function readEntry(value: unknown): { readonly entry: string; readonly id: string } | null {
  if (!isRecord(value)) return null;
  const { entry, id } = value;
  return typeof entry === 'string' && entry !== '' && typeof id === 'string' ? { entry, id } : null;
}

function readFailure(body: unknown): { readonly code: string; readonly message: string } | null {
  if (!isRecord(body) || !isRecord(body.error)) return null;
  const { code, message } = body.error;
  return typeof code === 'string' && typeof message === 'string' ? { code, message } : null;
}

function couldNotTell({ status, body }: Reply): { kind: 'could-not-tell'; detail: string } {
  const failure = readFailure(body);
  const detail =
    failure === null
      ? `expected all entries under our id, came status ${status} without them`
      : `${status} ${failure.code}: ${failure.message}`;
  return { kind: 'could-not-tell', detail };
}

function unknown(
  cause: Extract<ApplyResult, { kind: 'unknown' }>['cause'],
  detail: string,
): ApplyResult {
  return { kind: 'unknown', cause, detail };
}
