/**
 * Payments and refunds of one account. In: checked parameters. Out: Stripe's answers; a refund made
 * is in the journal before its answer exists. Source: docs.stripe.com/api/refunds.
 */
import type { JournalEffect } from '../rail.ts';
import {
  type Answer,
  answerBadRequest,
  answerNoSuch,
  answerObject,
  answerUnknownParameter,
} from './answer.ts';
import type { Form, FormValue } from './form.ts';

export type Actor = JournalEffect['actor'];

export interface Payment {
  readonly id: string;
  readonly chargeId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly createdMs: number;
}

export interface Refund {
  readonly id: string;
  readonly payment: Payment;
  readonly amountMinor: number;
  readonly reason: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdMs: number;
  /** On the monotonic clock: moving the account's clock ages nothing. */
  readonly landedMs: number;
  readonly actor: Actor;
}

export interface RefundMaker {
  readonly actor: Actor;
  readonly nowMs: number;
  readonly landedMs: number;
}

export interface RefundParameters {
  readonly source: { readonly kind: 'payment_intent' | 'charge'; readonly id: string };
  /** Null: all that is left. */
  readonly amountMinor: number | null;
  readonly reason: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export type Checked<T> =
  | { readonly kind: 'valid'; readonly value: T }
  | { readonly kind: 'invalid'; readonly answer: Answer };

const createFields = ['payment_intent', 'charge', 'amount', 'reason', 'metadata'];
const reasons = ['duplicate', 'fraudulent', 'requested_by_customer'];
/** Source: docs.stripe.com/api/metadata. */
const metadataLimits = { keys: 50, keyLength: 40, valueLength: 500 };

/** What Stripe refuses before anything is executed, and hence does not store. */
export function checkRefundParameters(form: Form): Checked<RefundParameters> {
  const stranger = [...form.keys()].find((name) => !createFields.includes(name));
  if (stranger !== undefined) return invalid(answerUnknownParameter(stranger));
  const paymentIntent = form.get('payment_intent');
  const charge = form.get('charge');
  if ((paymentIntent === undefined) === (charge === undefined)) {
    return invalid(
      answerBadRequest({
        message: `Exactly one of payment_intent and charge must be given; got ${charge === undefined ? 'neither' : 'both'}.`,
      }),
    );
  }
  const id = paymentIntent ?? charge;
  if (typeof id !== 'string' || id === '') {
    return invalid(answerBadRequest({ message: 'An id must be a non-empty string.' }));
  }
  const amount = checkAmount(form.get('amount'));
  if (amount.kind === 'invalid') return amount;
  const reason = form.get('reason') ?? null;
  if (reason !== null && (typeof reason !== 'string' || !reasons.includes(reason))) {
    return invalid(
      answerBadRequest({
        param: 'reason',
        message: `Invalid reason: must be one of ${reasons.join(', ')}`,
      }),
    );
  }
  const metadata = checkMetadata(form.get('metadata'));
  if (metadata.kind === 'invalid') return metadata;
  const kind = paymentIntent === undefined ? 'charge' : 'payment_intent';
  return valid({
    source: { kind, id },
    amountMinor: amount.value,
    reason,
    metadata: metadata.value,
  });
}

export class RefundBook {
  readonly #idPrefix: string;
  readonly #payments = new Map<string, Payment>();
  readonly #charges = new Map<string, Payment>();
  /** Oldest first. */
  readonly #refunds: Refund[] = [];

  /** `idPrefix` keeps ids of several accounts apart. */
  constructor(idPrefix: string) {
    this.#idPrefix = idPrefix;
  }

  addPayment(payment: Payment): void {
    if (this.#payments.has(payment.id)) return;
    this.#payments.set(payment.id, payment);
    this.#charges.set(payment.chargeId, payment);
  }

  payment(id: string): Payment | undefined {
    return this.#payments.get(id);
  }

  refunds(): readonly Refund[] {
    return this.#refunds;
  }

  findPayment({ kind, id }: RefundParameters['source']): Payment | undefined {
    return kind === 'charge' ? this.#charges.get(id) : this.#payments.get(id);
  }

  /** Makes the refund or says why the payment's own state forbids it. */
  refund(
    payment: Payment,
    { amountMinor, reason, metadata }: Omit<RefundParameters, 'source'>,
    by: RefundMaker,
  ): Answer {
    const left = payment.amountMinor - this.#refundedMinor(payment);
    if (left === 0) {
      return answerBadRequest({
        code: 'charge_already_refunded',
        message: `Charge ${payment.chargeId} has already been refunded.`,
      });
    }
    const amount = amountMinor ?? left;
    if (amount > left) {
      const asked = formatMoney(amount, payment.currency);
      const available = formatMoney(left, payment.currency);
      return answerBadRequest({
        param: 'amount',
        message: `Refund amount (${asked}) is greater than unrefunded amount on charge (${available})`,
      });
    }
    const refund: Refund = {
      id: `re_${this.#idPrefix}${String(this.#refunds.length + 1).padStart(8, '0')}`,
      payment,
      amountMinor: amount,
      reason,
      metadata,
      createdMs: by.nowMs,
      landedMs: by.landedMs,
      actor: by.actor,
    };
    this.#refunds.push(refund);
    return answerObject(renderRefund(refund));
  }

  #refundedMinor(payment: Payment): number {
    return this.#refunds
      .filter((refund) => refund.payment === payment)
      .reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  }
}

export function answerPayment(book: RefundBook, id: string): Answer {
  const payment = book.payment(id);
  return payment === undefined
    ? answerNoSuch('payment_intent', id, 'intent')
    : answerObject(renderPayment(payment));
}

export function answerRefund(book: RefundBook, id: string): Answer {
  const refund = book.refunds().find((known) => known.id === id);
  return refund === undefined
    ? answerNoSuch('refund', id, 'id')
    : answerObject(renderRefund(refund));
}

export function renderRefund(refund: Refund): object {
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amountMinor,
    balance_transaction: refund.id.replace('re_', 'txn_'),
    charge: refund.payment.chargeId,
    created: Math.floor(refund.createdMs / 1000),
    currency: refund.payment.currency,
    customer: null,
    customer_account: null,
    metadata: refund.metadata,
    payment_intent: refund.payment.id,
    reason: refund.reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
}

function renderPayment(payment: Payment): object {
  return {
    id: payment.id,
    object: 'payment_intent',
    amount: payment.amountMinor,
    amount_capturable: 0,
    amount_received: payment.amountMinor,
    created: Math.floor(payment.createdMs / 1000),
    currency: payment.currency,
    latest_charge: payment.chargeId,
    livemode: false,
    metadata: {},
    status: 'succeeded',
  };
}

function checkAmount(value: FormValue | undefined): Checked<number | null> {
  if (value === undefined) return valid(null);
  if (typeof value !== 'string' || !/^-?\d{1,15}$/.test(value)) {
    return invalid(
      answerBadRequest({
        code: 'parameter_invalid_integer',
        param: 'amount',
        message: `Invalid integer: ${typeof value === 'string' ? value : 'amount'}`,
      }),
    );
  }
  if (Number(value) > 0) return valid(Number(value));
  return invalid(
    answerBadRequest({
      code: 'parameter_invalid_integer',
      param: 'amount',
      message: 'Invalid positive integer',
    }),
  );
}

function checkMetadata(value: FormValue | undefined): Checked<Readonly<Record<string, string>>> {
  if (value === undefined || value === '') return valid({});
  if (typeof value === 'string') {
    return invalid(answerBadRequest({ param: 'metadata', message: 'Invalid object' }));
  }
  const { keys, keyLength, valueLength } = metadataLimits;
  if (value.size > keys) {
    return invalid(
      answerBadRequest({
        param: 'metadata',
        message: `Metadata can have up to ${keys} keys, but you passed in ${value.size}.`,
      }),
    );
  }
  for (const [name, text] of value) {
    if (name.length > keyLength) {
      return invalid(
        answerBadRequest({
          param: 'metadata',
          message: `Metadata keys can have up to ${keyLength} characters, but you passed in one of ${name.length}.`,
        }),
      );
    }
    if (text.length > valueLength) {
      return invalid(
        answerBadRequest({
          param: `metadata[${name}]`,
          message: `Metadata values can have up to ${valueLength} characters, but you passed in a value that is ${text.length} characters.`,
        }),
      );
    }
  }
  // An empty value means "unset", on an object that has nothing to unset yet.
  return valid(Object.fromEntries([...value].filter(([, text]) => text !== '')));
}

function formatMoney(amountMinor: number, currency: string): string {
  const units = `${Math.floor(amountMinor / 100)}.${String(amountMinor % 100).padStart(2, '0')}`;
  return currency === 'usd' ? `$${units}` : `${units} ${currency.toUpperCase()}`;
}

function valid<T>(value: T): Checked<T> {
  return { kind: 'valid', value };
}

function invalid(answer: Answer): { readonly kind: 'invalid'; readonly answer: Answer } {
  return { kind: 'invalid', answer };
}
