/**
 * What a trial asks of a Stripe account. In: a seed. Out: one payment and the four requests about
 * it. Nothing but the seed goes in, so that a trial's keys and amounts can be had again.
 */
import { createHash } from 'node:crypto';
import type { Examples } from '../rail.ts';
import type { JsonObject } from '../target.ts';
import type { Payment } from './refunds.ts';

/** Hundreds of the largest example fit in it: neither repeated partial refunds nor a page full of others' may meet Stripe's own limit. */
const paidMinor = 1_000_000;
const currency = 'usd';

export function examplePayment(seed: number, nowMs: number): Payment {
  const tag = digest(seed).toString('hex').slice(0, 20);
  return {
    id: `pi_${tag}`,
    chargeId: `ch_${tag}`,
    amountMinor: paidMinor,
    currency,
    createdMs: nowMs,
    description: null,
  };
}

export function exampleRequests(seed: number, payment: Payment): Examples {
  const amountMinor = 1500 + (digest(seed).readUInt32BE(16) % 501);
  const request: JsonObject = {
    operation: 'refund',
    paymentIntent: payment.id,
    amountMinor,
    currency,
  };
  return {
    request,
    changed: { ...request, amountMinor: amountMinor + 1000 },
    distinct: { ...request, distinct: `approval-${digest(seed).toString('hex', 20, 28)}` },
    lookAlike: request,
    capped: { field: 'amountMinor', within: { currency } },
  };
}

function digest(seed: number): Buffer {
  return createHash('sha256').update(`stripe example ${seed}`).digest();
}
