/** Reads refunds past the target, as gates do that bring their own way of looking. */
import type { EffectCall, EffectTarget, QueryResult } from '../../adapters/target.ts';
import type { StartMessage } from '../protocol.ts';

export interface ListedRefund {
  readonly id: string;
  readonly amount: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The target with another way to look: by the first page alone. */
export function lookingAtFirstPage(
  target: EffectTarget,
  { endpoint, credentials }: StartMessage['target'],
  isOurs: (refund: ListedRefund, call: Pick<EffectCall, 'key' | 'request'>) => boolean,
  pageSize: number,
): EffectTarget {
  const { protocol, host, port } = endpoint;
  return {
    ...target,
    query: async (call): Promise<QueryResult> => {
      const payment = encodeURIComponent(String(call.request.paymentIntent));
      const url = `${protocol}://${host}:${port}/v1/refunds?payment_intent=${payment}&limit=${pageSize}`;
      const headers = { authorization: `Bearer ${String(credentials.apiKey)}` };
      const response = await fetch(url, { headers, keepalive: false });
      const { data } = (await response.json()) as { readonly data: readonly ListedRefund[] };
      const ours = data.find((refund) => isOurs(refund, call));
      return ours === undefined
        ? { kind: 'absent', complete: true }
        : { kind: 'found', entityId: ours.id };
    },
  };
}
