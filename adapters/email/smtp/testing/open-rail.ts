/** A mail server, a namespace in it and a target before it, all gone when the test is over. */
import { onTestFinished } from 'vitest';
import type { EffectTarget, Endpoint, JsonObject } from '../../../target.ts';
import { exampleRequests } from '../../examples.ts';
import { createRail, type SmtpRailNamespace } from '../rail.ts';
import { createTarget } from '../target.ts';

export const { request } = exampleRequests(1);

export async function openNamespace(): Promise<SmtpRailNamespace> {
  const rail = await createRail({ options: {} });
  onTestFinished(() => rail.close());
  return rail.openNamespace('test');
}

export interface Reached {
  readonly endpoint: Endpoint;
  readonly credentials?: JsonObject;
}

/** Long enough for a server that greets after 100 ms, on a machine that does other things too. */
export const clientTimeoutMs = 2_000;

export function openTarget(reached: Reached, options: JsonObject = {}): EffectTarget {
  const target = createTarget({
    endpoint: reached.endpoint,
    credentials: reached.credentials ?? {},
    options: { clientTimeoutMs, requireTls: false, ...options },
    now: Date.now,
  });
  onTestFinished(() => target.close?.());
  return target;
}
