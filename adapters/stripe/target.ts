/**
 * Refunds through Stripe's official SDK. In: an already decided refund and its key. Out: what Stripe
 * provably did. It keeps no state, sends once a call, and never turns a missing or broken answer
 * into a definite one.
 */

import Stripe from 'stripe';
import { foundAmong } from '../found-among.ts';
import { redactResult } from '../redact-result.ts';
import {
  type CreateTarget,
  type EffectCall,
  InvalidRequestError,
  type QueryResult,
} from '../target.ts';
import { describeError } from './classify.ts';
import { parseCredentials, parseEndpoint, parseOptions } from './configuration.ts';
import { declare } from './declaration.ts';
import { capturePremises, checkPremises, type Reader } from './premises.ts';
import { readRefunds } from './read-refunds.ts';
import { parseRefundRequest } from './request.ts';
import { sdkSettings } from './sdk-settings.ts';
import { sendOnce } from './send-once.ts';
import { createSingleSendClient } from './single-send-client.ts';
import { stampOf } from './stamp.ts';

/** Stripe shows the ends of a key it does not know, with stars between. */
const shownKey = /\b[a-z]{2}_(test|live|org)_[\w*]+/g;

export const createTarget: CreateTarget = (config) => {
  const options = parseOptions(config.options);
  const credentials = parseCredentials(config.credentials, options);
  const address = parseEndpoint(config.endpoint);
  const declaration = declare(options);
  const httpClient = createSingleSendClient(config.endpoint, options.clientTimeoutMs);
  const client = new Stripe(
    credentials.apiKey,
    sdkSettings({ address, httpClient, clientTimeoutMs: options.clientTimeoutMs }),
  );
  const reader: Reader = { client, pageSize: options.pageSize };
  // A foreign server may echo the key, and what we say is kept in ledgers and logs.
  const withoutKey = (text: string) =>
    text.replaceAll(credentials.apiKey, '[key]').replaceAll(shownKey, '[key]').slice(0, 500);

  return {
    name: 'stripe',
    declaration,
    identify: (request) => ({
      target: 'stripe',
      account: credentials.account,
      operation: 'refund',
      subject: parseRefundRequest(request).paymentIntent,
      keyFields: {},
    }),
    capture: async (request) => {
      const refund = parseRefundRequest(request);
      try {
        return await capturePremises(reader, refund);
      } catch (error) {
        if (error instanceof InvalidRequestError) throw error;
        throw new Error(
          `Expected to read payment ${refund.paymentIntent}; came ${withoutKey(describeError(error))}. Ask again when Stripe answers.`,
        );
      }
    },
    validate: async (request, premises, ownKey) => {
      const check = await checkPremises(reader, parseRefundRequest(request), { premises, ownKey });
      return check.kind === 'could-not-tell'
        ? { ...check, detail: withoutKey(check.detail) }
        : check;
    },
    apply: async (call) => redactResult(await sendOnce(client, call), withoutKey),
    ...(declaration.lookup !== null && {
      query: async (call: LookupCall): Promise<QueryResult> => {
        const result = await findRefund(reader, call);
        return result.kind === 'could-not-tell'
          ? { ...result, detail: withoutKey(result.detail) }
          : result;
      },
    }),
    close: async () => httpClient.destroy(),
  };
};

type LookupCall = Pick<EffectCall, 'key' | 'request'>;

/** Looks by stamp alone: equal amounts are what other people's refunds have too. */
async function findRefund(reader: Reader, { key, request }: LookupCall): Promise<QueryResult> {
  try {
    const payment = parseRefundRequest(request).paymentIntent;
    const refunds = await readRefunds(reader.client, { payment, pageSize: reader.pageSize });
    const ours = refunds.filter((refund) => stampOf(refund) === key);
    return foundAmong(ours.map(({ id }) => id));
  } catch (error) {
    return {
      kind: 'could-not-tell',
      detail: `The refunds could not be read: ${describeError(error)}`,
    };
  }
}
