/**
 * Payment intents as far as a refund needs them: made and confirmed in one request with a test card,
 * read, and described. In: a form. Out: Stripe's answer, and a payment in the book. Whatever would
 * leave a payment unpaid is refused. Source: docs.stripe.com/api/payment_intents and /testing.
 */
import {
  type Answer,
  answerBadRequest,
  answerNoSuch,
  answerObject,
  answerUnknownParameter,
} from './answer.ts';
import type { Form, FormValue } from './form.ts';
import { type Checked, checkMetadata, invalid, valid } from './refund-parameters.ts';
import type { Payment, RefundBook } from './refunds.ts';

export interface PaymentParameters {
  readonly amountMinor: number;
  readonly currency: string;
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

const createFields = [
  'amount',
  'currency',
  'payment_method',
  'automatic_payment_methods',
  'confirm',
  'description',
  'metadata',
];
/** The test cards that pay at once; the second one's money is available at once too. */
const payingCards: readonly FormValue[] = ['pm_card_visa', 'pm_card_bypassPending'];
/** Of dollars: half a dollar, and eight digits. */
const amountLimits = { least: 50, most: 99_999_999 };

export function checkPaymentParameters(form: Form): Checked<PaymentParameters> {
  const stranger = [...form.keys()].find((name) => !createFields.includes(name));
  if (stranger !== undefined) return invalid(answerUnknownParameter(stranger));
  const missing = ['amount', 'currency'].find((name) => form.get(name) === undefined);
  if (missing !== undefined) {
    return refused('parameter_missing', missing, `Missing required param: ${missing}.`);
  }
  const amount = checkAmount(form.get('amount'));
  if (amount.kind === 'invalid') return amount;
  const currency = form.get('currency');
  if (currency !== 'usd') {
    return refused('parameter_invalid_empty', 'currency', 'This stand-in takes dollars.');
  }
  const unpaid = whyUnpaid(form);
  if (unpaid !== null) return invalid(unpaid);
  const description = form.get('description') ?? null;
  if (typeof description === 'object' && description !== null) {
    return refused('parameter_invalid_string_empty', 'description', 'Invalid string');
  }
  const metadata = checkMetadata(form.get('metadata'));
  if (metadata.kind === 'invalid') return metadata;
  return valid({ amountMinor: amount.value, currency, description, metadata: metadata.value });
}

function checkAmount(value: FormValue | undefined): Checked<number> {
  if (typeof value !== 'string' || !/^\d{1,15}$/.test(value)) {
    return refused('parameter_invalid_integer', 'amount', 'Invalid integer');
  }
  const amountMinor = Number(value);
  if (amountMinor < amountLimits.least) {
    return refused('amount_too_small', 'amount', 'Amount must be at least $0.50 usd');
  }
  return amountMinor > amountLimits.most
    ? refused('amount_too_large', 'amount', 'Amount must be no more than $999,999.99')
    : valid(amountMinor);
}

/** Null where it is paid at once, which is all this stand-in can do. */
function whyUnpaid(form: Form): Answer | null {
  const card = form.get('payment_method');
  if (form.get('confirm') !== 'true' || card === undefined) {
    return answerBadRequest({
      message:
        'This stand-in makes payments that are paid at once: payment_method and confirm=true.',
    });
  }
  if (!payingCards.includes(card)) {
    return answerNoSuch('PaymentMethod', String(card), 'payment_method', 400);
  }
  const methods = form.get('automatic_payment_methods');
  const stays = typeof methods === 'object' && methods.get('allow_redirects') === 'never';
  if (stays && methods.get('enabled') === 'true') return null;
  return answerBadRequest({
    message:
      'This PaymentIntent is configured to accept payment methods enabled in your Dashboard. Because some of these payment methods might redirect your customer off of your page, you must provide a `return_url`.',
  });
}

export function answerPayment(book: RefundBook, id: string): Answer {
  const payment = book.payment(id);
  return payment === undefined
    ? answerNoSuch('payment_intent', id, 'intent')
    : answerObject(renderPayment(payment));
}

/** Only its description can be changed here. */
export function answerDescribed(book: RefundBook, id: string, form: Form): Answer {
  const payment = book.payment(id);
  if (payment === undefined) return answerNoSuch('payment_intent', id, 'intent');
  const stranger = [...form.keys()].find((name) => name !== 'description');
  if (stranger !== undefined) return answerUnknownParameter(stranger);
  const description = form.get('description');
  if (typeof description === 'string')
    payment.description = description === '' ? null : description;
  return answerObject(renderPayment(payment));
}

export function renderPayment(payment: Payment): object {
  return {
    id: payment.id,
    object: 'payment_intent',
    amount: payment.amountMinor,
    amount_capturable: 0,
    amount_received: payment.amountMinor,
    created: Math.floor(payment.createdMs / 1000),
    currency: payment.currency,
    description: payment.description,
    latest_charge: payment.chargeId,
    livemode: false,
    metadata: payment.metadata,
    status: 'succeeded',
  };
}

function refused(code: string, param: string, message: string): Checked<never> {
  return invalid(answerBadRequest({ code, param, message }));
}
