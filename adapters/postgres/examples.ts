/**
 * What a trial asks of a database of credits. In: a seed. Out: four requests about one account and
 * reference. The accounts are there from the beginning, in every database.
 */
import { createHash } from 'node:crypto';
import type { Examples } from '../rail.ts';
import type { JsonObject } from '../target.ts';

export const exampleAccounts = Array.from(
  { length: 16 },
  (_, index) => `acc_${String(index + 1).padStart(4, '0')}`,
);

const currency = 'eur';

export function exampleRequests(seed: number): Examples {
  const digest = createHash('sha256').update(`postgres example ${seed}`).digest();
  const request: JsonObject = {
    operation: 'credit',
    account: exampleAccounts[digest.readUInt8(0) % exampleAccounts.length] ?? '',
    reference: `ref_${digest.toString('hex', 6, 12)}`,
    amountMinor: 1500 + (digest.readUInt32BE(16) % 501),
    currency,
  };
  return {
    request,
    changed: { ...request, amountMinor: Number(request.amountMinor) + 1000 },
    distinct: { ...request, distinct: `approval-${digest.toString('hex', 20, 28)}` },
    lookAlike: request,
    capped: { field: 'amountMinor', within: { currency } },
  };
}
