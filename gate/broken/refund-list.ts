/** The reference gate with a look of its own, past the target, at the first page of refunds. */
import type { EffectCall, EffectTarget, QueryResult } from '../../adapters/target.ts';
import type { StartMessage } from '../protocol.ts';
import { createGate } from '../reference/gate.ts';
import { referencePoints } from '../reference/points.ts';
import { runSubject } from '../subject.ts';

export interface ListedRefund {
  readonly id: string;
  readonly amount: number;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface OwnLook {
  readonly name: string;
  readonly pageSize: number;
  readonly isOurs: (refund: ListedRefund, call: Pick<EffectCall, 'key' | 'request'>) => boolean;
}

export function runWithOwnLook(look: OwnLook): void {
  runSubject({
    name: look.name,
    version: '1',
    points: referencePoints,
    resolves: true,
    openGate: ({ start, target, authority, now, at }) =>
      createGate({
        target: lookingAtFirstPage(target, start.target, look),
        ledger: start.ledger,
        authority,
        now,
        at,
      }),
  });
}

function lookingAtFirstPage(
  target: EffectTarget,
  { endpoint, credentials }: StartMessage['target'],
  { isOurs, pageSize }: OwnLook,
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
