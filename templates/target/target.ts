/**
 * NAME: a target as it begins. It sends once a call, reads one kind of answer, and takes nothing for definite
 * that is not. It declares nothing: no key that the service honours, nothing to ask afterwards. README.md
 * says how to earn more.
 */
import {
  type ApplyResult,
  type CreateTarget,
  InvalidRequestError,
  type JsonObject,
} from 'killpoint/target';

export const createTarget: CreateTarget = ({ endpoint, credentials, options }) => {
  const clientTimeoutMs = Number(options.clientTimeoutMs ?? 1_000);
  const url = `${endpoint.protocol}://${endpoint.host}:${endpoint.port}/orders`;

  return {
    name: 'NAME',
    declaration: {
      dedupe: null,
      onceByState: false,
      guardsPremises: false,
      lookup: null,
      absence: 'never',
      storedErrorFinal: false,
      noReturnMark: false,
      premises: [],
      clientTimeoutMs,
    },
    // Which requests are the same decision: one order of one customer. The amount is not part of it.
    identify: (request) => ({
      target: 'NAME',
      account: 'default',
      operation: 'order',
      subject: readOrder(request).customer,
      keyFields: {},
    }),
    capture: async () => [],
    validate: async () => ({ kind: 'hold' }),
    apply: async ({ key, request }) => {
      const { customer, amount } = readOrder(request);
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${credentials.token}`,
            'content-type': 'application/json',
          },
          // The mark comes back with the effect: an answer without it is about somebody else's.
          body: JSON.stringify({ customer, amount, reference: key }),
          signal: AbortSignal.timeout(clientTimeoutMs),
          redirect: 'error',
        });
        return classify(response.status, (await response.json()) as Answer);
      } catch (error) {
        // No answer, or half of one: nothing says how far the request got.
        const cause = (error as Error).name === 'TimeoutError' ? 'timeout' : 'connection';
        return { kind: 'unknown', cause, detail: String(error) };
      }
    },
  };
};

interface Answer {
  readonly id?: unknown;
  readonly reference?: string;
  readonly error?: { readonly code: string };
}

/** "Refused" needs the service's own voice: a documented status *and* an error of its shape. */
function classify(status: number, body: Answer): ApplyResult {
  if (status === 201 && typeof body.id === 'string') {
    return { kind: 'landed', entityId: body.id, stamp: body.reference ?? null };
  }
  const detail = `status ${status}: ${body.error?.code ?? 'no error of the service'}`;
  if (body.error === undefined) return { kind: 'unknown', cause: 'unreadable', detail };
  const refuses = [400, 401, 404, 422, 429].includes(status);
  if (!refuses) return { kind: 'unknown', cause: 'server-error', detail };
  return { kind: 'refused', reason: detail, mendable: status === 401 || status === 429 };
}

function readOrder({ customer, amount }: JsonObject) {
  if (typeof customer === 'string' && Number.isSafeInteger(amount)) {
    return { customer, amount: Number(amount) };
  }
  throw new InvalidRequestError(
    'Order: expected a customer and an amount as an integer in minor units. Write 20.00 euros as 2000.',
  );
}
