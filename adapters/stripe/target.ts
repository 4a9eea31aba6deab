/**
 * Refunds through Stripe's official SDK. In: an already decided refund and its key. Out: what Stripe
 * provably did. It keeps no state, sends once a call, and never turns a missing or broken answer
 * into a definite one.
 */
import Stripe from 'stripe';
import {
  type ApplyResult,
  type CreateTarget,
  type EffectCall,
  InvalidRequestError,
  type TargetDeclaration,
} from '../target.ts';
import { classifyError, classifyRefund, refusedUnsent, stampField } from './classify.ts';
import {
  type Options,
  parseCredentials,
  parseEndpoint,
  parseOptions,
  type Variant,
} from './configuration.ts';
import { capturePremises, checkPremises } from './premises.ts';
import { parseRefundRequest, type RefundRequest } from './request.ts';
import { createSingleSendClient } from './single-send-client.ts';

/** Stripe may forget a key once it is this old; from then on it makes a new refund. Source: docs.stripe.com/api/idempotent_requests. */
const keyWindowMs = 24 * 60 * 60 * 1000;
/** Source: docs.stripe.com/api/idempotent_requests. */
const maxKeyLength = 255;
/** The version the SDK's types describe; written out so that an upgrade of the SDK is seen here first. */
const apiVersion = '2026-10-28.endive' satisfies Stripe.LatestApiVersion;

export const createTarget: CreateTarget = (config) => {
  const options = parseOptions(config.options);
  const credentials = parseCredentials(config.credentials, options);
  const { protocol, host, port } = parseEndpoint(config.endpoint);
  const httpClient = createSingleSendClient(config.endpoint, options.clientTimeoutMs);
  const client = new Stripe(credentials.apiKey, {
    protocol,
    host,
    port,
    httpClient,
    apiVersion,
    // The SDK's own timeout counts only silence; the client's deadline comes first and counts everything.
    timeout: 2 * options.clientTimeoutMs,
    maxNetworkRetries: 0,
    telemetry: false,
    emitEventBodies: false,
  });
  // A foreign server may echo the key, and what we say is kept in ledgers and logs.
  const withoutKey = (text: string) => text.replaceAll(credentials.apiKey, '[key]').slice(0, 500);

  return {
    name: 'stripe',
    declaration: declare(options),
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
        return await capturePremises(client, refund);
      } catch (error) {
        if (error instanceof InvalidRequestError) throw error;
        throw new Error(
          `Expected to read payment ${refund.paymentIntent}; came ${withoutKey(String(error))}. Ask again when Stripe answers.`,
        );
      }
    },
    validate: async (request, premises, ownKey) => {
      const check = await checkPremises(client, parseRefundRequest(request), { premises, ownKey });
      return check.kind === 'could-not-tell'
        ? { ...check, detail: withoutKey(check.detail) }
        : check;
    },
    apply: async (call) => redact(await sendOnce(client, call), withoutKey),
    close: async () => httpClient.destroy(),
  };
};

async function sendOnce(client: Stripe, call: EffectCall): Promise<ApplyResult> {
  if (call.key.length === 0 || call.key.length > maxKeyLength) {
    return refusedUnsent(`a key has 1 to ${maxKeyLength} characters, came ${call.key.length}.`);
  }
  let refund: RefundRequest;
  try {
    refund = parseRefundRequest(call.request);
  } catch (error) {
    return refusedUnsent(error instanceof Error ? error.message : String(error));
  }
  try {
    const answer = await client.refunds.create(
      {
        payment_intent: refund.paymentIntent,
        amount: refund.amountMinor,
        metadata: { [stampField]: call.key },
        ...(refund.reason === null ? {} : { reason: refund.reason }),
      },
      { idempotencyKey: call.key },
    );
    return classifyRefund(answer);
  } catch (error) {
    return classifyError(error);
  }
}

function redact(result: ApplyResult, withoutKey: (text: string) => string): ApplyResult {
  switch (result.kind) {
    case 'landed':
      return result;
    case 'refused':
      return { ...result, reason: withoutKey(result.reason) };
    case 'unknown':
      return { ...result, detail: withoutKey(result.detail) };
    default:
      return result satisfies never;
  }
}

function declare({ variant, clientTimeoutMs }: Options): TargetDeclaration {
  return {
    dedupe: dedupeOf(variant),
    onceByState: false,
    lookup: null,
    absence: 'never',
    // A stored 500 is indeterminate: Stripe may still roll it forward (docs.stripe.com/error-low-level).
    storedErrorFinal: false,
    noReturnMark: false,
    clientTimeoutMs,
  };
}

/** The target sends the key in every variant; what differs is whether anybody may rely on it. */
function dedupeOf(variant: Variant): TargetDeclaration['dedupe'] {
  switch (variant) {
    case 'keyed':
      return { windowMs: keyWindowMs };
    case 'blind':
      return null;
    default:
      return variant satisfies never;
  }
}
