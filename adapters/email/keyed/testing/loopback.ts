/**
 * What the tests of this folder put between the service, its own SDK and the target: real sockets on the
 * loopback interface. Everything opened is closed when the test that opened it ends.
 */
import { Resend } from 'resend';
import { onTestFinished } from 'vitest';
import type { EffectTarget, Endpoint, JsonObject } from '../../../target.ts';
import { createRail, type KeyedRailNamespace } from '../rail.ts';
import { createTarget } from '../target.ts';

export async function openNamespace(): Promise<KeyedRailNamespace> {
  const rail = await createRail({ options: {} });
  onTestFinished(() => rail.close());
  return rail.openNamespace('test');
}

export interface Reached {
  readonly endpoint: Endpoint;
  readonly credentials: JsonObject;
}

/** The service's own SDK, as it comes. */
export function openSdk({ endpoint, credentials }: Reached): Resend {
  return new Resend(String(credentials.apiKey), { baseUrl: urlOf(endpoint) });
}

export function urlOf({ protocol, host, port }: Endpoint): string {
  return `${protocol}://${host}:${port}`;
}

export function openTarget(
  { endpoint, credentials }: Reached,
  options: JsonObject = {},
): EffectTarget {
  const target = createTarget({
    endpoint,
    credentials,
    options: { clientTimeoutMs: 5_000, ...options },
    now: Date.now,
  });
  onTestFinished(() => target.close?.());
  return target;
}
