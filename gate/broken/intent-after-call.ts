/** Stands in for `reference/submit.ts`: calls first, and then writes down what it is about to call for. */
import type { JsonObject } from '../../adapters/target.ts';
import { carryOut as carry } from '../reference/submit.ts';

export * from '../reference/submit.ts';

export async function carryOut(...[engine, wanted, proposal]: Parameters<typeof carry>) {
  if (engine.ledger.live(wanted.decisionKey) !== null) return await carry(engine, wanted, proposal);
  const request = JSON.parse(wanted.request) as JsonObject;
  const answer = await engine.target.apply({ key: wanted.decisionKey, request, attempt: 1 });
  const target = { ...engine.target, apply: async () => answer };
  return await carry({ ...engine, target }, wanted, proposal);
}
