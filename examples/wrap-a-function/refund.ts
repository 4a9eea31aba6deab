/** What a program has before it hears of Killpoint: a function that posts a refund and knows of no crash. */
export interface Service {
  readonly url: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
}

interface Made {
  readonly object: string;
  readonly id: string;
  readonly metadata?: { readonly decision_key?: string };
}

export async function refund(
  { paymentIntent, amountMinor }: { paymentIntent: string; amountMinor: number },
  key: string,
  { url, apiKey, timeoutMs }: Service,
): Promise<{ id: string; decisionKey: string | null }> {
  const response = await fetch(`${url}/v1/refunds`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'idempotency-key': key },
    body: new URLSearchParams({
      payment_intent: paymentIntent,
      amount: String(amountMinor),
      'metadata[decision_key]': key,
    }),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const made = (await response.json()) as Made;
  if (!response.ok || made.object !== 'refund') throw new Error(`no refund: ${response.status}`);
  return { id: made.id, decisionKey: made.metadata?.decision_key ?? null };
}
