/** What a trial asks of a ledger. In: a seed. Out: four requests about one account and reference. */
import { createHash } from 'node:crypto';
import type { Examples } from '../rail.ts';
import type { JsonObject } from '../target.ts';

const currency = 'eur';

export function exampleRequests(seed: number): Examples {
  const digest = createHash('sha256').update(`ledgered example ${seed}`).digest();
  const request: JsonObject = {
    operation: 'post',
    account: `acc_${digest.toString('hex', 0, 6)}`,
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
