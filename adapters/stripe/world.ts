/**
 * What people do at an account while the subject is not looking. In: the account's book and the
 * request of a trial, which names the payment. Out: the book, changed. Throws where there is nothing
 * to do it to.
 *
 * People's refunds carry no stamp. A cancelled refund is one that somebody cancelled in the dashboard,
 * a failed one was sent back by the bank; Stripe's API cancels neither (see the README).
 */
import type { RailWorldEvent } from '../rail.ts';
import type { JsonObject } from '../target.ts';
import { examplePayment } from './examples.ts';
import type { Payment, Refund, RefundBook, RefundMaker } from './refunds.ts';

export interface AccountScene {
  readonly book: RefundBook;
  readonly request: JsonObject;
  readonly by: RefundMaker;
}

export function changeWorld(
  event: Exclude<RailWorldEvent, 'rail-restarted'>,
  scene: AccountScene,
): void {
  const payment = paymentOf(scene);
  const amountMinor = Number(scene.request.amountMinor);
  // Half of it: an amount of its own that leaves room for whatever else is asked of the payment.
  const otherAmountMinor = Math.ceil(amountMinor / 2);
  switch (event) {
    case 'done-by-hand':
      refund(scene, payment, amountMinor);
      return;
    case 'undone-by-hand': {
      const made = scene.book.newestStanding(payment, 'subject');
      if (made === undefined) {
        throw new Error(
          `Stripe rail: undone-by-hand needs a refund of the subject's on ${payment.id} that stands; there is none. Let the subject make one first.`,
        );
      }
      made.status = 'canceled';
      return;
    }
    case 'premise-changed':
      refund(scene, payment, otherAmountMinor);
      return;
    case 'premise-changed-and-back':
      refund(scene, payment, otherAmountMinor).status = 'failed';
      return;
    case 'unrelated-change':
      payment.description = 'looked at by a person';
      refund(scene, otherPayment(scene), amountMinor);
      return;
    default:
      throw new Error(`Stripe rail: unknown event of the world: ${event satisfies never}`);
  }
}

function paymentOf({ book, request }: AccountScene): Payment {
  const payment = book.payment(String(request.paymentIntent));
  if (payment !== undefined) return payment;
  throw new Error(
    `Stripe rail: expected a request about a payment of this account; came ${JSON.stringify(request)}. Take one of its examples.`,
  );
}

function refund({ book, by }: AccountScene, payment: Payment, amountMinor: number): Refund {
  const refunded = book.refund(payment, { amountMinor, reason: null, metadata: {} }, by);
  if (refunded.kind === 'made') return refunded.refund;
  throw new Error(
    `Stripe rail: a person could not refund ${amountMinor} of ${payment.id}: ${refunded.answer.body}`,
  );
}

/** Of the same account, and of no example. */
function otherPayment({ book, by }: AccountScene): Payment {
  return book.addPayment(examplePayment(-1, by.nowMs));
}
