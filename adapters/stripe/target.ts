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
  type QueryResult,
  type TargetDeclaration,
} from '../target.ts';
import {
  classifyError,
  classifyRefund,
  describeError,
  refusedUnsent,
  stampField,
} from './classify.ts';
import {
  type Options,
  parseCredentials,
  parseEndpoint,
  parseOptions,
  type Variant,
} from './configuration.ts';
import { capturePremises, checkPremises, type Reader } from './premises.ts';
import { readRefunds } from './read-refunds.ts';
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
  const declaration = declare(options);
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
  const reader: Reader = { client, pageSize: options.pageSize };
  // A foreign server may echo the key, and what we say is kept in ledgers and logs.
  const withoutKey = (text: string) => text.replaceAll(credentials.apiKey, '[key]').slice(0, 500);

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
    apply: async (call) => redact(await sendOnce(client, call), withoutKey),
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

type LookupCall = Pick<EffectCall, 'key' | 'request'>;

/** Looks by stamp alone: equal amounts are what other people's refunds have too. */
async function findRefund(reader: Reader, { key, request }: LookupCall): Promise<QueryResult> {
  try {
    const payment = parseRefundRequest(request).paymentIntent;
    const refunds = await readRefunds(reader.client, { payment, pageSize: reader.pageSize });
    const ours = refunds.filter(({ metadata }) => metadata?.[stampField] === key);
    const [first, ...others] = ours.map(({ id }) => id);
    if (first === undefined) return { kind: 'absent', complete: true };
    return others.length === 0
      ? { kind: 'found', entityId: first }
      : { kind: 'many', entityIds: [first, ...others] };
  } catch (error) {
    return {
      kind: 'could-not-tell',
      detail: `The refunds could not be read: ${describeError(error)}`,
    };
  }
}

function declare({ variant, clientTimeoutMs }: Options): TargetDeclaration {
  return {
    ...promises(variant),
    onceByState: false,
    // A stored 500 is indeterminate: Stripe may still roll it forward (docs.stripe.com/error-low-level).
    storedErrorFinal: false,
    noReturnMark: false,
    premises: ['value-equals', 'version-unchanged'],
    clientTimeoutMs,
  };
}

/** The target sends the key in every variant; what differs is what anybody may rely on. */
function promises(variant: Variant): Pick<TargetDeclaration, 'dedupe' | 'lookup' | 'absence'> {
  switch (variant.name) {
    case 'keyed':
      return { dedupe: { windowMs: keyWindowMs }, lookup: null, absence: 'never' };
    case 'blind':
      return { dedupe: null, lookup: null, absence: 'never' };
    case 'lookup': {
      const { lagMs, landingBoundMs } = variant;
      return { dedupe: null, lookup: { lagMs, seesDeletions }, absence: { landingBoundMs } };
    }
    case 'unbounded':
      return {
        dedupe: null,
        lookup: { lagMs: variant.lagMs, seesDeletions },
        absence: 'never',
      };
    default:
      return variant satisfies never;
  }
}

/** A refund that failed or was cancelled stays in the list. */
const seesDeletions = true;
