/** What a trial asks of a mail service. In: a seed. Out: four requests about one recipient and reference. */
import { createHash } from 'node:crypto';
import type { Examples } from '../rail.ts';
import type { JsonObject } from '../target.ts';

export function exampleRequests(seed: number): Examples {
  const digest = createHash('sha256').update(`email example ${seed}`).digest();
  const tag = digest.toString('hex', 0, 8);
  const request: JsonObject = {
    operation: 'send',
    recipient: `customer-${tag}@mail.example`,
    reference: `order-${digest.toString('hex', 8, 16)}`,
    from: 'shop@sender.example',
    subject: `Your order ${tag} is on its way`,
    text: `Good day,\n\nyour order ${tag} left our house today.\n.\nThe line above is a lone full stop.`,
  };
  return {
    request,
    changed: { ...request, text: `Good day,\n\nyour order ${tag} is late.` },
    distinct: { ...request, distinct: `approval-${digest.toString('hex', 20, 28)}` },
    lookAlike: request,
  };
}
