/**
 * The facts a decision to refund relies on: what the payment brought in, what of it has been given
 * back, and what others have done to it. In: a refund request and a client. Out: premises, or whether
 * they still hold. Reads only, from the list, which Stripe documents as the path that sees a write at
 * once.
 *
 * Stripe's objects have no version. One is made of what only ever grows: a refund never leaves the
 * list, and one that has failed or was cancelled stays so. A refund that was made and undone leaves the
 * sum as it was, and this version changed.
 */
import type Stripe from 'stripe';
import { checkFacts, type Fact, toPremises, valueFact } from '../premise-facts.ts';
import { InvalidRequestError, type JsonValue, type Premise, type PremiseCheck } from '../target.ts';
import { describeError } from './classify.ts';
import { readRefunds } from './read-refunds.ts';
import type { RefundRequest } from './request.ts';
import { stampOf } from './stamp.ts';

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
  const { facts, currency } = await readFacts(reader, request, null);
  // Stripe reads the amount in the payment's currency and is never told the request's: 2000 would
  // be 20 dollars or 2000 yen.
  if (currency !== request.currency) {
    throw new InvalidRequestError(
      `Refund request: currency must be that of payment ${request.paymentIntent}, ${currency}; came ${request.currency}. Ask for the amount in the payment's currency.`,
    );
  }
  return toPremises(facts);
}

export async function checkPremises(
  reader: Reader,
  request: RefundRequest,
  check: { readonly premises: readonly Premise[]; readonly ownKey: string },
): Promise<PremiseCheck> {
  if (check.premises.length === 0) return { kind: 'hold' };
  try {
    const { facts } = await readFacts(reader, request, check.ownKey);
    return checkFacts(facts, check.premises);
  } catch (error) {
    return {
      kind: 'could-not-tell',
      detail: `The payment could not be read: ${describeError(error)}`,
    };
  }
}

interface PaymentFacts {
  readonly facts: readonly Fact[];
  readonly currency: string;
}

/** `ownKey` stamps what is ours; null: nothing is yet. */
async function readFacts(
  reader: Reader,
  request: RefundRequest,
  ownKey: string | null,
): Promise<PaymentFacts> {
  const { paymentIntent } = request;
  const payment = await reader.client.paymentIntents.retrieve(paymentIntent);
  if (payment.object !== 'payment_intent' || payment.id !== paymentIntent) {
    throw new Error(`expected payment ${paymentIntent}, came something else`);
  }
  const listing = { payment: paymentIntent, pageSize: reader.pageSize };
  const refunds = await readRefunds(reader.client, listing);
  const isOurs = (refund: Stripe.Refund) => ownKey !== null && stampOf(refund) === ownKey;
  const ours = refunds.filter(isOurs);
  const others = refunds.filter((refund) => !isOurs(refund));
  const facts = [
    valueFact(`${paymentIntent}.amountReceived`, payment.amount_received),
    valueFact(`${paymentIntent}.amountRefunded`, sumOf(refunds.filter(isStanding)), {
      without: sumOf(others.filter(isStanding)),
      with: sumOf(others.filter(isStanding)) + sumOf(ours),
    }),
    valueFact(`${paymentIntent}.currency`, payment.currency),
    actsFact(`${paymentIntent}.refundsByOthers`, actsOf(refunds), actsOf(ours)),
  ];
  return { facts, currency: payment.currency };
}

function sumOf(refunds: readonly Stripe.Refund[]): number {
  return refunds.reduce((sum, { amount }) => sum + amount, 0);
}

/** What was done, each as a text of its own, in an order that depends on nothing else. */
function actsOf(refunds: readonly Stripe.Refund[]): readonly string[] {
  return refunds
    .flatMap((refund) => (isStanding(refund) ? [refund.id] : [refund.id, `${refund.id} undone`]))
    .sort();
}

/** `acts` only ever grows, so that a reading without an act that was captured is an older one. */
function actsFact(fact: string, acts: readonly string[], ours: readonly string[]): Fact {
  const shown = new Set<JsonValue>(acts);
  const own = new Set(ours);
  return {
    kind: 'version-unchanged',
    fact,
    value: acts,
    compare: (captured) => {
      if (!Array.isArray(captured)) {
        return { kind: 'could-not-tell', why: 'expected a list of what was done to the payment' };
      }
      const before = new Set<JsonValue>(captured);
      const missing = [...before].find((act) => !shown.has(act));
      if (missing !== undefined) {
        return {
          kind: 'could-not-tell',
          why: `the list that was read is older than the decision: it lacks ${String(missing)}`,
        };
      }
      const found = acts.filter((act) => before.has(act) || !own.has(act));
      return found.length === before.size ? { kind: 'same' } : { kind: 'changed', found };
    },
  };
}

function isStanding({ status }: Stripe.Refund): boolean {
  return status !== 'failed' && status !== 'canceled';
}
