/**
 * Reads what an authority answered. In: anything. Out: a lease state in which every limit is there
 * and means something; whatever is not one is a dead lease, because a limit that can't be read would
 * be a limit that does not hold (`5 > undefined` is false).
 */
import type { LeaseState } from './gate.ts';

export function readLeaseState(answer: unknown): LeaseState {
  if (!isObject(answer)) return noLease('expected an object');
  if (answer.kind === 'dead') {
    const { reason } = answer;
    return { kind: 'dead', reason: typeof reason === 'string' ? reason : 'no reason was given' };
  }
  const why = whyNotLive(answer);
  return why === null ? (answer as LeaseState) : noLease(why);
}

function whyNotLive({ kind, expiresAtMs, coversReasons, caps }: Fields): string | null {
  if (kind !== 'live') return `expected kind live or dead, got ${JSON.stringify(kind)}`;
  if (expiresAtMs !== null && !Number.isFinite(expiresAtMs)) {
    return `expiresAtMs: expected null or a number, got ${JSON.stringify(expiresAtMs)}`;
  }
  if (!Array.isArray(coversReasons) || !coversReasons.every(isText)) {
    return `coversReasons: expected an array of strings, got ${JSON.stringify(coversReasons)}`;
  }
  if (caps !== undefined && (!Array.isArray(caps) || !caps.every(isCap))) {
    return (
      'caps: expected an array of { field: string, limit: integer from 0, within: object }, ' +
      `got ${JSON.stringify(caps)}`
    );
  }
  return null;
}

function isCap(cap: unknown): boolean {
  if (!isObject(cap)) return false;
  const { field, limit, within } = cap;
  return isText(field) && Number.isSafeInteger(limit) && Number(limit) >= 0 && isObject(within);
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function noLease(why: string): LeaseState {
  return { kind: 'dead', reason: `the authority answered no lease: ${why}` };
}
