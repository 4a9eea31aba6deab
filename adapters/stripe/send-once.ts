/** One attempt at a refund. In: an already decided request and its key. Out: what Stripe provably did. */
import type Stripe from 'stripe';
import type { ApplyResult, EffectCall } from '../target.ts';
import { classifyError, classifyRefund, refusedUnsent } from './classify.ts';
import { optionsOf, parametersOf } from './refund-call.ts';
import { parseRefundRequest, type RefundRequest } from './request.ts';

/** Source: docs.stripe.com/api/idempotent_requests. */
const maxKeyLength = 255;

export async function sendOnce(client: Stripe, call: EffectCall): Promise<ApplyResult> {
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
    return classifyRefund(
      await client.refunds.create(parametersOf(refund, call.key), optionsOf(call.key)),
    );
  } catch (error) {
    return classifyError(error);
  }
}
