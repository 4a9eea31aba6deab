/**
 * One trial at a live Stripe: a payment of its own. In: clients, and a label. Out: the payment, made
 * and paid, and what a trial may ask about it.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type Stripe from 'stripe';
import type { RailNamespace, RailWorldEvent } from '../rail.ts';
import type { JsonObject } from '../target.ts';
import { currency, exampleRequests, usualPaidMinor } from './examples.ts';
import type { LiveClient } from './live-client.ts';
import { handLabel, toJournal } from './live-journal.ts';

/** What people can do through Stripe's API: it cancels no refund of a card, and restarts for nobody. */
export const liveWorldEvents = [
  'done-by-hand',
  'premise-changed',
  'unrelated-change',
] as const satisfies readonly RailWorldEvent[];

/** Far more than a trial makes: a list that is longer is taken for one that never ends. */
const mostRefunds = 1_000;

export interface PaymentLabel {
  readonly run: string;
  readonly trial: string;
}

/** A card payment in test mode that is paid when this resolves. Source: docs.stripe.com/testing. */
export async function makePayment(client: LiveClient, label: PaymentLabel): Promise<string> {
  const payment = await client.call('make a test payment', (stripe) =>
    stripe.paymentIntents.create(
      {
        amount: usualPaidMinor,
        currency,
        payment_method: 'pm_card_visa',
        // Without it Stripe asks for a page to send the customer back to.
        automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
        confirm: true,
        description: `Killpoint ${label.trial}`,
        metadata: { killpoint_run: label.run, killpoint_trial: label.trial },
      },
      { idempotencyKey: `killpoint-payment-${randomUUID()}` },
    ),
  );
  if (payment.livemode || payment.status !== 'succeeded') {
    throw new Error(
      `Stripe live rail: expected a payment in test mode that succeeded; came ${payment.id}, livemode ${payment.livemode}, ${payment.status}. Nothing is asked about it.`,
    );
  }
  return payment.id;
}

export interface LivePayment {
  readonly endpoint: RailNamespace['endpoint'];
  readonly credentials: JsonObject;
  readonly payment: string;
  /** Makes what people do. */
  readonly maker: LiveClient;
  /** Reads the journal, and nothing else. */
  readonly reader: LiveClient;
  /** How long the journal waits before it reads, so that a list that lags hides nothing. */
  readonly lagMs: number;
  readonly leave: () => void;
}

export function openPayment(live: LivePayment): RailNamespace {
  const { payment, reader, lagMs } = live;
  return {
    ...describeNamespace(live),
    effects: async () => {
      await sleep(lagMs);
      return toJournal(await reader.call('list the refunds', (stripe) => readAll(stripe, payment)));
    },
    world: (event, request) => changeWorld(event, request, live),
    // The payment stays: Stripe has no way to remove one.
    close: async () => live.leave(),
  };
}

/** What any namespace of this rail could do, said without a service behind it. */
export function describeNamespace({
  endpoint,
  credentials,
  payment,
}: Pick<LivePayment, 'endpoint' | 'credentials' | 'payment'>): RailNamespace {
  const nothing = async (): Promise<never> => {
    throw new Error('Stripe live rail: this namespace has no payment at Stripe. Run a trial.');
  };
  return {
    endpoint,
    credentials,
    examples: (seed) => exampleRequests(seed, { id: payment }),
    effects: nothing,
    worldEvents: liveWorldEvents,
    world: nothing,
  };
}

async function readAll(stripe: Stripe, payment: string): Promise<readonly Stripe.Refund[]> {
  const refunds: Stripe.Refund[] = [];
  for await (const refund of stripe.refunds.list({ payment_intent: payment, limit: 100 })) {
    if (refund.payment_intent !== payment) throw new Error(`it holds a refund of another payment`);
    refunds.push(refund);
    if (refunds.length > mostRefunds) throw new Error(`it does not end after ${mostRefunds}`);
  }
  return refunds;
}

async function changeWorld(
  event: RailWorldEvent,
  request: JsonObject,
  { maker, payment }: LivePayment,
): Promise<void> {
  const amountMinor = Number(request.amountMinor);
  const refund = (amount: number) =>
    maker.call('refund by hand', (stripe) =>
      stripe.refunds.create(
        { payment_intent: payment, amount, metadata: handLabel },
        { idempotencyKey: `killpoint-by-hand-${randomUUID()}` },
      ),
    );
  switch (event) {
    case 'done-by-hand':
      await refund(amountMinor);
      return;
    case 'premise-changed':
      // Half of it: an amount of its own that leaves room for whatever else is asked of the payment.
      await refund(Math.ceil(amountMinor / 2));
      return;
    case 'unrelated-change':
      await maker.call('describe the payment', (stripe) =>
        stripe.paymentIntents.update(payment, { description: 'looked at by a person' }),
      );
      return;
    default:
      throw new Error(
        `Stripe live rail: expected one of ${liveWorldEvents.join(', ')}; came ${event}. Choose another event of the world.`,
      );
  }
}
