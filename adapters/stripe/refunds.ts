/**
 * Payments and refunds of one account. In: checked parameters. Out: Stripe's answers; a refund made
 * is in the journal before its answer exists, and never leaves it. Source: docs.stripe.com/api/refunds.
 */
import type { JournalEffect } from '../rail.ts';
import { type Answer, answerBadRequest, answerNoSuch, answerObject } from './answer.ts';
import type { RefundParameters } from './refund-parameters.ts';

export type Actor = JournalEffect['actor'];

export interface Payment {
  readonly id: string;
  readonly chargeId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly createdMs: number;
  /** What people wrote on it; changes nothing that is paid or refunded. */
  description: string | null;
}

/** A refund that was undone gives back nothing: what it took is left to refund again. */
export type Undone = 'failed' | 'canceled';

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
  status: 'succeeded' | Undone;
}

export type Refunded =
  | { readonly kind: 'made'; readonly refund: Refund }
  | { readonly kind: 'refused'; readonly answer: Answer };

export interface RefundMaker {
  readonly actor: Actor;
  readonly nowMs: number;
  readonly landedMs: number;
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

  /** The payment of this id: the one that is there, if there is one. */
  addPayment(payment: Payment): Payment {
    const present = this.#payments.get(payment.id);
    if (present !== undefined) return present;
    this.#payments.set(payment.id, payment);
    this.#charges.set(payment.chargeId, payment);
    return payment;
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
  ): Refunded {
    const left = payment.amountMinor - this.#refundedMinor(payment);
    if (left === 0) {
      return refused({
        code: 'charge_already_refunded',
        message: `Charge ${payment.chargeId} has already been refunded.`,
      });
    }
    const amount = amountMinor ?? left;
    if (amount > left) {
      const asked = formatMoney(amount, payment.currency);
      const available = formatMoney(left, payment.currency);
      return refused({
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
      status: 'succeeded',
    };
    this.#refunds.push(refund);
    return { kind: 'made', refund };
  }

  /** The newest refund of the payment by this actor that was not undone. */
  newestStanding(payment: Payment, actor: Actor): Refund | undefined {
    return this.#refunds.findLast(
      (refund) => refund.payment === payment && refund.actor === actor && isStanding(refund),
    );
  }

  #refundedMinor(payment: Payment): number {
    return this.#refunds
      .filter((refund) => refund.payment === payment && isStanding(refund))
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

/** Only a refund that waits for its customer can be cancelled, and here none does. Source: docs.stripe.com/api/refunds/cancel. */
export function answerCancel(book: RefundBook, id: string): Answer {
  const refund = book.refunds().find((known) => known.id === id);
  return refund === undefined
    ? answerNoSuch('refund', id, 'id')
    : answerBadRequest({
        message: `Refund ${id} can't be canceled: its status is ${refund.status}, and only one of requires_action can.`,
      });
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
    status: refund.status,
    transfer_reversal: null,
    ...(!isStanding(refund) && {
      failure_balance_transaction: refund.id.replace('re_', 'txn_f'),
      failure_reason: refund.status === 'canceled' ? 'merchant_request' : 'unknown',
    }),
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
    description: payment.description,
    latest_charge: payment.chargeId,
    livemode: false,
    metadata: {},
    status: 'succeeded',
  };
}

function isStanding({ status }: Refund): boolean {
  return status === 'succeeded';
}

function refused(failure: Parameters<typeof answerBadRequest>[0]): Refunded {
  return { kind: 'refused', answer: answerBadRequest(failure) };
}

function formatMoney(amountMinor: number, currency: string): string {
  const units = `${Math.floor(amountMinor / 100)}.${String(amountMinor % 100).padStart(2, '0')}`;
  return currency === 'usd' ? `$${units}` : `${units} ${currency.toUpperCase()}`;
}
