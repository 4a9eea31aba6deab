/**
 * The journal of a payment at a live Stripe: its refunds as Stripe's own list has them. In: refunds,
 * newest first. Out: effects, oldest first, each with whose it is.
 *
 * Stripe knows one credential here, so whose a refund is must be read off it. People's are those the
 * rail made and labelled itself, and the harness's control: one refund, stamped control-SEED, and the
 * oldest with such a stamp, since it is made before any subject lives. Everything else is the subject's,
 * also what carries no stamp at all: in doubt a gate is charged with it.
 */
import type Stripe from 'stripe';
import type { JournalEffect } from '../rail.ts';

/** Written out here: a rail and a target share no code. */
const stampField = 'decision_key';
/** What the rail writes on what it does in people's place. */
export const handLabel = { killpoint_by: 'person' } as const;

export function toJournal(newestFirst: readonly Stripe.Refund[]): readonly JournalEffect[] {
  const control = newestFirst.findLast(isControl);
  return newestFirst.toReversed().map((refund) => ({
    entityId: refund.id,
    stamp: refund.metadata?.[stampField] ?? null,
    actor: isByHand(refund) || refund === control ? 'person' : 'subject',
    subject: idOf(refund.payment_intent),
    substance: { amountMinor: refund.amount, currency: refund.currency },
    atMs: refund.created * 1000,
  }));
}

function isByHand({ metadata }: Stripe.Refund): boolean {
  return metadata?.killpoint_by === handLabel.killpoint_by;
}

function isControl({ metadata }: Stripe.Refund): boolean {
  return /^control-\d+$/.test(metadata?.[stampField] ?? '');
}

function idOf(payment: Stripe.Refund['payment_intent']): string {
  return typeof payment === 'string' ? payment : (payment?.id ?? '');
}
