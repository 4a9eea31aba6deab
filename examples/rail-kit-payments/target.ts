/**
 * Payments at a service that honours idempotency keys for a day. In: an already decided payment and its
 * key. Out: what the service provably did. Sends once a call, and takes nothing for definite that is not.
 */
// In a project of your own: from 'killpoint/target'.
import {
  type ApplyResult,
  type CreateTarget,
  InvalidRequestError,
  type JsonObject,
} from '../../adapters/target.ts';

const dayMs = 24 * 60 * 60 * 1000;

export const createTarget: CreateTarget = ({ endpoint, credentials, options }) => {
  const clientTimeoutMs = Number(options.clientTimeoutMs ?? 10_000);
  const url = `${endpoint.protocol}://${endpoint.host}:${endpoint.port}/v1/payments`;

  return {
    name: 'payments',
    declaration: {
      dedupe: { windowMs: dayMs },
      onceByState: false,
      guardsPremises: false,
      lookup: null,
      absence: 'never',
      storedErrorFinal: false,
      noReturnMark: false,
      premises: [],
      clientTimeoutMs,
    },
    identify: (request) => ({
      target: 'payments',
      account: 'default',
      operation: 'pay',
      subject: readPayment(request).order,
      keyFields: {},
    }),
    capture: async () => [],
    validate: async () => ({ kind: 'hold' }),
    apply: async ({ key, request }) => {
      const { order, amount, currency } = readPayment(request);
      let response: Response;
      try {
        response = await fetch(url, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${credentials.token}`,
            'content-type': 'application/json',
            'idempotency-key': key,
          },
          body: JSON.stringify({ order, amount, currency, metadata: { decision: key } }),
          // From the first byte sent to the last one received.
          signal: AbortSignal.timeout(clientTimeoutMs),
          redirect: 'error',
        });
        return classify(response, (await response.json()) as Answer);
      } catch (error) {
        // No answer, or half of one: nothing says how far the request got.
        const cause = (error as Error).name === 'TimeoutError' ? 'timeout' : 'connection';
        return { kind: 'unknown', cause, detail: String(error) };
      }
    },
  };
};

/** "Refused" needs the service's own voice: a documented status *and* an error of its shape. */
function classify({ status, headers }: Response, body: Answer): ApplyResult {
  if (status === 201 && typeof body.id === 'string') {
    return { kind: 'landed', entityId: body.id, stamp: body.metadata?.decision ?? null };
  }
  const { error } = body;
  const detail = `status ${status}: ${error?.code ?? 'no error of the service'}`;
  if (error === undefined) return { kind: 'unknown', cause: 'unreadable', detail };
  switch (status) {
    case 400:
    case 404:
    case 422:
      return { kind: 'refused', reason: detail, mendable: false };
    case 401:
    case 429:
      return { kind: 'refused', reason: detail, mendable: true };
    case 409:
      return { kind: 'unknown', cause: 'in-flight', detail };
    default:
      return headers.get('idempotency-replayed') === 'true'
        ? { kind: 'unknown', cause: 'stored-error', detail }
        : { kind: 'unknown', cause: 'server-error', detail };
  }
}

interface Answer {
  readonly id?: unknown;
  readonly metadata?: { readonly decision?: string };
  readonly error?: { readonly code: string };
}

function readPayment({ operation, order, amountMinor, currency }: JsonObject) {
  if (
    operation === 'pay' &&
    typeof order === 'string' &&
    Number.isSafeInteger(amountMinor) &&
    typeof currency === 'string'
  ) {
    return { order, amount: Number(amountMinor), currency };
  }
  throw new InvalidRequestError(
    'Payment request: expected operation pay, an order, amountMinor as an integer in minor units and a currency. Write 20.00 euros as 2000.',
  );
}
