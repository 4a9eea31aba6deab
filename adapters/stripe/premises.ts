/**
 * The facts a decision to refund relies on: what the payment brought in and what of it has been
 * given back. In: a refund request and a client. Out: premises, or whether they still hold. Reads
 * only, from the list, which Stripe documents as the path that sees a write at once.
 */
import type Stripe from 'stripe';
import { InvalidRequestError, type JsonValue, type Premise, type PremiseCheck } from '../target.ts';
import { describeError, stampField } from './classify.ts';
import { readRefunds } from './read-refunds.ts';
import type { RefundRequest } from './request.ts';

/** Who reads, and how many refunds are asked for at a time. */
export interface Reader {
  readonly client: Stripe;
  readonly pageSize: number;
}

/** Rejects when Stripe can't be read. Throws InvalidRequestError when the payment is in another currency. */
export async function capturePremises(
  reader: Reader,
  request: RefundRequest,
): Promise<readonly Premise[]> {
  const facts = await readFacts(reader, request, null);
  const currency = facts.get(currencyFact(request));
  // Stripe reads the amount in the payment's currency and is never told the request's: 2000 would
  // be 20 dollars or 2000 yen.
  if (currency !== request.currency) {
    throw new InvalidRequestError(
      `Refund request: currency must be that of payment ${request.paymentIntent}, ${currency}; came ${request.currency}. Ask for the amount in the payment's currency.`,
    );
  }
  return [...facts].map(([fact, value]) => ({ kind: 'value-equals', fact, value }));
}

export async function checkPremises(
  reader: Reader,
  request: RefundRequest,
  check: { readonly premises: readonly Premise[]; readonly ownKey: string },
): Promise<PremiseCheck> {
  if (check.premises.length === 0) return { kind: 'hold' };
  try {
    const facts = await readFacts(reader, request, check.ownKey);
    for (const { kind, fact, value } of check.premises) {
      const found = facts.get(fact);
      if (kind !== 'value-equals' || found === undefined) {
        const known = [...facts.keys()].join(', ');
        const detail = `This target can check value-equals of ${known}; asked was ${kind} of ${fact}. Use the premises it captured.`;
        return { kind: 'could-not-tell', detail };
      }
      if (found !== value) return { kind: 'stale', fact, expected: value, found };
    }
    return { kind: 'hold' };
  } catch (error) {
    return {
      kind: 'could-not-tell',
      detail: `The payment could not be read: ${describeError(error)}`,
    };
  }
}

/** Refunds stamped with `ownKey` are left out of the sum. */
async function readFacts(
  reader: Reader,
  request: RefundRequest,
  ownKey: string | null,
): Promise<ReadonlyMap<string, JsonValue>> {
  const payment = await reader.client.paymentIntents.retrieve(request.paymentIntent);
  if (payment.object !== 'payment_intent' || payment.id !== request.paymentIntent) {
    throw new Error(`expected payment ${request.paymentIntent}, came something else`);
  }
  let amountRefunded = 0;
  const listing = { payment: request.paymentIntent, pageSize: reader.pageSize };
  for (const refund of await readRefunds(reader.client, listing)) {
    const isUndone = refund.status === 'failed' || refund.status === 'canceled';
    const isOwn = ownKey !== null && refund.metadata?.[stampField] === ownKey;
    if (!isUndone && !isOwn) amountRefunded += refund.amount;
  }
  return new Map<string, JsonValue>([
    [`${request.paymentIntent}.amountReceived`, payment.amount_received],
    [`${request.paymentIntent}.amountRefunded`, amountRefunded],
    [currencyFact(request), payment.currency],
  ]);
}

function currencyFact({ paymentIntent }: RefundRequest): string {
  return `${paymentIntent}.currency`;
}
