/**
 * What a trial asks of a Stripe account. In: a seed, and amounts where an option of the rail names
 * them. Out: one payment and the four requests about it. Nothing else goes in, so that a trial's keys
 * and amounts can be had again.
 */
import { createHash } from 'node:crypto';
import type { Examples } from '../rail.ts';
import type { JsonObject, JsonValue } from '../target.ts';
import type { Payment } from './refunds.ts';

/** What was paid, and what of it a trial asks to refund; both in minor units. */
export interface ExampleAmounts {
  readonly paidMinor: number;
  readonly amountMinor: number;
}

/** Hundreds of the largest example fit in it: neither repeated partial refunds nor a page full of others' may meet Stripe's own limit. */
export const usualPaidMinor = 1_000_000;
export const currency = 'usd';
/** How much more the changed request asks for. */
const changeMinor = 1000;

/** Without amounts, those of every other trial: drawn from the seed. */
export function examplePayment(
  seed: number,
  nowMs: number,
  amounts: ExampleAmounts | null = null,
): Payment {
  const tag = digest(seed).toString('hex').slice(0, 20);
  return {
    id: `pi_${tag}`,
    chargeId: `ch_${tag}`,
    amountMinor: amounts?.paidMinor ?? usualPaidMinor,
    currency,
    createdMs: nowMs,
    description: null,
    metadata: {},
  };
}

export function exampleRequests(
  seed: number,
  payment: Pick<Payment, 'id'>,
  amounts: ExampleAmounts | null = null,
): Examples {
  const amountMinor = amounts?.amountMinor ?? 1500 + (digest(seed).readUInt32BE(16) % 501);
  const request: JsonObject = {
    operation: 'refund',
    paymentIntent: payment.id,
    amountMinor,
    currency,
  };
  return {
    request,
    changed: { ...request, amountMinor: amountMinor + changeMinor },
    distinct: { ...request, distinct: `approval-${digest(seed).toString('hex', 20, 28)}` },
    lookAlike: request,
    capped: { field: 'amountMinor', within: { currency } },
  };
}

/**
 * The option `examples`; null where it is left out. Throws for anything but two amounts that leave
 * room on the payment: Stripe's own limit would stop a gate that refunds twice and hide what it did.
 */
export function parseExampleAmounts(value: JsonValue | undefined): ExampleAmounts | null {
  if (value === undefined) return null;
  const { paidMinor, amountMinor, ...rest } = isObject(value) ? value : {};
  if (!isAmount(paidMinor) || !isAmount(amountMinor) || Object.keys(rest).length > 0) {
    throw new Error(
      `Stripe rail: examples must hold paidMinor and amountMinor, whole numbers from 1, and nothing else; came ${JSON.stringify(value)}. Leave it out for amounts drawn from the seed.`,
    );
  }
  // The harness's own refund, one by hand, one made twice, and one with the changed amount.
  const roomMinor = 4 * amountMinor + changeMinor;
  if (paidMinor < roomMinor) {
    throw new Error(
      `Stripe rail: examples.paidMinor must be at least ${roomMinor}, room for four refunds of ${amountMinor} and ${changeMinor} more; came ${paidMinor}. Raise what was paid or lower what is refunded.`,
    );
  }
  return { paidMinor, amountMinor };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAmount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}

function digest(seed: number): Buffer {
  return createHash('sha256').update(`stripe example ${seed}`).digest();
}
