/**
 * Stripe itself, in test mode, as a rail. In: a test key from the environment. Out: namespaces, each a
 * payment made for one trial at Stripe and labelled with it, whose journal is Stripe's own list of its
 * refunds. It does nothing wrong by itself: whatever goes wrong goes wrong on the wire.
 *
 * It must never use a key that is not a test key, and must not send a byte before a trial begins. Test
 * payments can't be deleted, so they stay at Stripe.
 */
import { randomBytes } from 'node:crypto';
import { createPlaces } from '../places.ts';
import type { CreateRail, Rail } from '../rail.ts';
import type { JsonObject } from '../target.ts';
import { LiveCallError, type LiveClient, openLiveClient } from './live-client.ts';
import { describeNamespace, makePayment, openPayment } from './live-namespace.ts';
import { type LiveSettings, readLiveSettings, stripeEndpoint } from './live-settings.ts';

export const createRail = (async ({ options, environment }): Promise<Rail> => {
  const parsed = parseOptions(options);
  const settings = readLiveSettings(environment);
  return settings.kind === 'ready' ? openStripe(settings, parsed) : closedRail(settings);
}) satisfies CreateRail;

/** Says why nothing runs, and what could. */
function closedRail({ kind, why }: Extract<LiveSettings, { readonly why: string }>): Rail {
  return {
    name: 'stripe.live',
    ...(kind === 'refused' ? { refused: why } : { unavailable: why }),
    openNamespace: async (id) => {
      if (id !== 'declaration') throw new Error(`Stripe live rail: ${why}`);
      // The target takes no other key than one of this form, and this one is none.
      return openUnpaid('sk_test_none', stripeEndpoint);
    },
    close: async () => undefined,
  };
}

function openStripe(
  settings: Extract<LiveSettings, { readonly kind: 'ready' }>,
  { lagMs, trialsAtOnce }: LiveOptions,
): Rail {
  const { apiKey, endpoint } = settings;
  const maker = openLiveClient(settings);
  // Of its own, so that the journal shares nothing with what makes effects, not even a connection.
  const reader = openLiveClient(settings);
  const places = createPlaces(trialsAtOnce);
  const run = `${new Date().toISOString()} ${randomBytes(4).toString('hex')}`;
  return {
    name: 'stripe.live',
    openNamespace: async (id) => {
      if (id === 'declaration') return openUnpaid(apiKey, endpoint);
      await places.take();
      try {
        const account = await readAccount(maker);
        const payment = await makePayment(maker, { run, trial: id });
        const leave = () => places.leave();
        const credentials = { apiKey, ...account };
        return openPayment({ endpoint, credentials, payment, maker, reader, lagMs, leave });
      } catch (error) {
        places.leave();
        throw error;
      }
    },
    close: async () => {
      maker.close();
      reader.close();
    },
  };
}

/** Says what it could do, and has no payment. */
function openUnpaid(apiKey: string, endpoint: typeof stripeEndpoint) {
  return describeNamespace({ endpoint, credentials: { apiKey }, payment: 'pi_declaration' });
}

/**
 * The account, which a restricted key may not be allowed to read. Without it the target calls every
 * account "default"; a run has one key and hence one account, and payment ids are unique across Stripe.
 */
async function readAccount(client: LiveClient): Promise<{ readonly account?: string }> {
  try {
    const { id } = await client.call('read the account', (stripe) =>
      stripe.accounts.retrieveCurrent(),
    );
    return { account: id };
  } catch (error) {
    // A key that Stripe does not know at all is refused with the same status, and by the payment too.
    if (error instanceof LiveCallError && (error.status === 401 || error.status === 403)) return {};
    throw error;
  }
}

interface LiveOptions {
  readonly lagMs: number;
  /** Trials that have a payment at a time: what keeps a run below Stripe's limit of requests. */
  readonly trialsAtOnce: number;
}

function parseOptions(options: JsonObject): LiveOptions {
  const { lagMs = 0, trialsAtOnce = 4, ...unknown } = options;
  if (Object.keys(unknown).length > 0) {
    throw new Error(
      `Stripe live rail: options may hold lagMs and trialsAtOnce; also came ${Object.keys(unknown).join(', ')}. Remove what is not one of them.`,
    );
  }
  if (!isWhole(lagMs, 0) || !isWhole(trialsAtOnce, 1)) {
    throw new Error(
      `Stripe live rail: lagMs must be a whole number of milliseconds and trialsAtOnce one from 1; came ${JSON.stringify({ lagMs, trialsAtOnce })}. Leave them out for 0 and 4.`,
    );
  }
  return { lagMs, trialsAtOnce };
}

function isWhole(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least;
}
