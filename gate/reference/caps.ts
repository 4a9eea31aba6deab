/**
 * What a lease lets be spent in all. In: its caps, a request, and the requests of every other effect
 * under that lease that has happened or may have. Out: why this one may not go, in words, or null.
 * Pure: that nothing is recorded between the sum and the attempt is the caller's transaction.
 */
import type { JsonObject } from '../../adapters/target.ts';
import type { LeaseCap } from '../gate.ts';
import { canonicalJson } from './identity.ts';

/** An effect that counts against the caps of the lease it was sent under. */
export interface Spending {
  readonly requestId: string;
  /** JSON. */
  readonly request: string;
}

/** Why a lease with these caps does not cover the request, whatever was spent under it. */
export function whyNotCapped(
  lease: string,
  caps: readonly LeaseCap[],
  request: JsonObject,
): string | null {
  for (const { field, within } of caps) {
    for (const [name, expected] of Object.entries(within)) {
      const found = read(request, name);
      if (found !== undefined && canonicalJson(found) === canonicalJson(expected)) continue;
      return (
        `lease ${lease} does not cover it: expected ${name} ${JSON.stringify(expected)}, ` +
        `found ${found === undefined ? 'none' : JSON.stringify(found)}`
      );
    }
    if (amountOf(request, field) === null) {
      return (
        `lease ${lease} limits ${field}: expected an integer from 0 in the request, ` +
        `found ${JSON.stringify(read(request, field)) ?? 'none'}`
      );
    }
  }
  return null;
}

/** `others`: without this intent itself, whose amount counts once however often it is sent. */
export function whyOverCap(spend: {
  readonly lease: string;
  readonly caps: readonly LeaseCap[];
  readonly request: JsonObject;
  readonly others: Iterable<Spending>;
}): string | null {
  const { lease, caps, request, others } = spend;
  const spent = caps.map(() => 0);
  for (const { requestId, request: text } of others) {
    const other = JSON.parse(text) as JsonObject;
    for (const [index, { field }] of caps.entries()) {
      const amount = amountOf(other, field);
      // It went out when the lease had other caps; taking it for nothing could exceed these.
      if (amount === null) {
        return `lease ${lease} limits ${field}, and ${requestId} under it has none: what is left can't be told`;
      }
      spent[index] = (spent[index] ?? 0) + amount;
    }
  }
  for (const [index, { field, limit }] of caps.entries()) {
    const [before, asked] = [spent[index] ?? 0, amountOf(request, field)];
    // Not "more than the limit": what can't be compared fits nowhere.
    if (asked !== null && before + asked <= limit) continue;
    return (
      `lease ${lease} lets ${field} add up to ${limit}: ${before} has happened under it or may have, ` +
      `this asks for ${asked ?? 'no amount'}`
    );
  }
  return null;
}

/** Sums beyond the safe integers are not exact any more, and far beyond any limit. */
function amountOf(request: JsonObject, field: string): number | null {
  const value = read(request, field);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function read(request: JsonObject, field: string): JsonObject[string] | undefined {
  return Object.hasOwn(request, field) ? request[field] : undefined;
}
