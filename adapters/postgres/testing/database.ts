/**
 * What the tests of this folder stand on: one real server for a file, a namespace for a test, targets
 * and bare clients of the official driver. Everything opened is closed when the test that opened it
 * ends.
 */
import { Client, type QueryResultRow } from 'pg';
import { afterAll, expect, onTestFinished } from 'vitest';
import type { ApplyResult, EffectTarget, Endpoint, JsonObject } from '../../target.ts';
import { createRail, type PostgresRailNamespace } from '../rail.ts';
import { createTarget } from '../target.ts';

export const variants = ['unique', 'fenced', 'lookup'] as const;
export type VariantName = (typeof variants)[number];

let rail: ReturnType<typeof createRail> | null = null;
let count = 0;

/** The server lives until the tests of the file are over. */
afterAll(async () => {
  const opened = await rail;
  await opened?.close();
});

export async function openNamespace(): Promise<PostgresRailNamespace> {
  rail ??= createRail({ options: {} });
  count += 1;
  const namespace = await (await rail).openNamespace(`test ${count}`);
  onTestFinished(() => namespace.close());
  return namespace;
}

export interface Reached {
  readonly endpoint: Endpoint;
  readonly credentials: JsonObject;
}

export interface LookingTarget extends EffectTarget {
  query: NonNullable<EffectTarget['query']>;
}
export type FencedTarget = LookingTarget & { fence: NonNullable<EffectTarget['fence']> };

export function openTarget(
  { endpoint, credentials }: Reached,
  variant: VariantName,
  options: JsonObject = {},
): LookingTarget {
  const bound = variant === 'lookup' ? { landingBoundMs: 5_000 } : {};
  const target = createTarget({
    endpoint,
    credentials,
    options: { variant, clientTimeoutMs: 3_000, ...bound, ...options },
    now: Date.now,
  });
  onTestFinished(() => target.close?.());
  const { query } = target;
  if (query === undefined) throw new Error('expected a target with lookup');
  return { ...target, query };
}

export function openFencedTarget(reached: Reached, options: JsonObject = {}): FencedTarget {
  const target = openTarget(reached, 'fenced', options);
  const { fence } = target;
  if (fence === undefined) throw new Error('expected a target with a fence');
  return { ...target, fence };
}

/** A bare client of the driver, with the credentials given. */
export async function connect({ endpoint, credentials }: Reached): Promise<Client> {
  const client = new Client({
    host: endpoint.host,
    port: endpoint.port,
    user: String(credentials.user),
    password: String(credentials.password),
    database: String(credentials.database),
  });
  // Some tests end it from the other side.
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** As people. */
export function connectPerson(namespace: PostgresRailNamespace): Promise<Client> {
  return connect({ endpoint: namespace.endpoint, credentials: namespace.personCredentials });
}

export async function rowsOf<R extends QueryResultRow>(
  client: Client,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly R[]> {
  return (await client.query<R>(text, [...values])).rows;
}

export function entityOf(result: ApplyResult): string {
  if (result.kind === 'landed') return result.entityId;
  throw new Error(`expected landed, came ${JSON.stringify(result)}`);
}

/** How many effects of the subject's the journal holds. */
export async function countEffects(namespace: PostgresRailNamespace): Promise<number> {
  return (await namespace.effects()).filter(({ actor }) => actor === 'subject').length;
}

const soon = { timeout: 5_000, interval: 5 };

export async function untilEffects(
  namespace: PostgresRailNamespace,
  wanted: number,
): Promise<void> {
  await expect.poll(() => countEffects(namespace), soon).toBe(wanted);
}

export async function untilIdle(namespace: PostgresRailNamespace): Promise<void> {
  await expect.poll(() => namespace.idle(), soon).toBe(true);
}
