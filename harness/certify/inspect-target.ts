/**
 * Looks at a target and a rail before anything is run, and says in one message what is not as it must
 * be: what can't be loaded, what contradicts itself, a journal that can't be read.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { CreateRail, Rail, RailNamespace } from '../../adapters/rail.ts';
import type { CreateTarget, EffectTarget } from '../../adapters/target.ts';
import { HarnessError, UsageError } from '../model/errors.ts';
import { journalEffectSchema } from '../model/history.ts';
import { jsonObject } from '../model/json.ts';
import { endpointProtocols } from '../model/protocol.ts';
import type { ModuleReference, TargetEntry } from '../plan/catalogue-entry.ts';
import { bundleModules } from '../trial/bundle.ts';
import { type ControlSpec, makeControl } from '../trial/control.ts';
import { type Environment, loadExport } from '../trial/lab.ts';
import { checkDeclaration } from './check-declaration.ts';

export type Inspection =
  | { readonly kind: 'fit' }
  /** The service did not do, or the journal did not show, what the harness asked for itself. */
  | { readonly kind: 'control-missed'; readonly why: string }
  /** The rail's own word: nothing can be run against it here. */
  | { readonly kind: 'unavailable'; readonly why: string };

/** Throws UsageError for everything that its author has to mend first. */
export async function inspectTarget(
  entry: TargetEntry,
  environment: Environment,
): Promise<Inspection> {
  const folder = await mkdtemp(join(tmpdir(), 'killpoint-inspect-'));
  try {
    const createTarget = await load<CreateTarget>(entry.target, join(folder, 'target'));
    const createRail = await load<CreateRail>(entry.rail, join(folder, 'rail'));
    return await inspect(entry, createTarget, createRail, environment);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function load<T>(reference: ModuleReference, folder: string): Promise<T> {
  try {
    const bundles = await bundleModules(new Map([['module', reference]]), folder);
    return loadExport<T>(bundles.get('module') ?? '', reference, 'target-unloadable');
  } catch (error) {
    if (error instanceof HarnessError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

async function inspect(
  entry: TargetEntry,
  createTarget: CreateTarget,
  createRail: CreateRail,
  environment: Environment,
): Promise<Inspection> {
  const { module } = entry.rail;
  const rail = await asked(`${module}: ${entry.rail.export}`, () =>
    createRail({ options: entry.rail.options, environment }),
  );
  try {
    if (rail.refused !== undefined) throw new UsageError(`${module}: ${rail.refused}`);
    if (rail.unavailable !== undefined) return { kind: 'unavailable', why: rail.unavailable };
    const namespace = await openNamespace(rail, module);
    try {
      checkNamespace(namespace, module);
      const target = await inspectDeclaration(entry, createTarget, namespace);
      await inspectRequests(target, namespace, entry);
      await readJournal(namespace, module);
      return await tryControl(entry, createTarget, namespace);
    } finally {
      await namespace.close?.();
    }
  } finally {
    await rail.close?.();
  }
}

async function openNamespace(rail: Rail, module: string): Promise<RailNamespace> {
  if (typeof rail?.openNamespace !== 'function' || typeof rail.close !== 'function') {
    throw new UsageError(
      `${module}: expected a rail with openNamespace and close, got ${shapeOf(rail)}; see docs/certifying.md for the least that is a rail`,
    );
  }
  return await asked(`${module}: openNamespace`, () => rail.openNamespace('inspection'));
}

const examplesSchema = z.object({
  request: jsonObject,
  changed: jsonObject,
  distinct: jsonObject,
  lookAlike: jsonObject,
  capped: z.strictObject({ field: z.string(), within: jsonObject }).optional(),
});
const namespaceSchema = z.object({
  endpoint: z.object({
    protocol: z.enum(endpointProtocols),
    host: z.string().min(1),
    port: z.number().int().min(1).max(65_535),
  }),
  credentials: jsonObject,
  effects: z.custom((value) => typeof value === 'function', 'expected a function'),
  examples: z.custom((value) => typeof value === 'function', 'expected a function'),
});

function checkNamespace(namespace: RailNamespace, module: string): void {
  fits(namespaceSchema, namespace, `${module}: the namespace`);
  const examples: unknown = namespace.examples(1);
  fits(examplesSchema, examples, `${module}: examples(seed)`);
}

async function inspectDeclaration(
  entry: TargetEntry,
  createTarget: CreateTarget,
  namespace: RailNamespace,
): Promise<EffectTarget> {
  const { module, options } = entry.target;
  const { endpoint, credentials } = namespace;
  const target = await asked(`${module}: ${entry.target.export}`, async () =>
    createTarget({ endpoint, credentials, options, now: Date.now }),
  );
  const missing = (['identify', 'capture', 'validate', 'apply'] as const).filter(
    (name) => typeof target?.[name] !== 'function',
  );
  const complaints = [
    ...missing.map((name) => `the target has no ${name}; see killpoint/target for what it does`),
    ...checkDeclaration(target ?? { declaration: undefined }),
  ];
  if (complaints.length === 0) return target;
  throw new UsageError(
    [`${module} does not agree with itself:`, ...complaints.map((text) => `  ${text}`)].join('\n'),
  );
}

async function inspectRequests(
  target: EffectTarget,
  namespace: RailNamespace,
  { target: { module } }: TargetEntry,
): Promise<void> {
  const { request, changed, distinct, lookAlike } = namespace.examples(1);
  for (const [name, example] of Object.entries({ request, changed, distinct, lookAlike })) {
    await asked(`${module}: identify(examples.${name})`, async () => target.identify(example));
  }
  await target.close?.();
}

async function readJournal(namespace: RailNamespace, module: string): Promise<void> {
  const effects: unknown = await asked(`${module}: effects()`, () => namespace.effects());
  fits(z.array(journalEffectSchema), effects, `${module}: effects()`);
}

async function tryControl(
  entry: TargetEntry,
  createTarget: CreateTarget,
  namespace: RailNamespace,
): Promise<Inspection> {
  const spec: ControlSpec = {
    seed: 1,
    draws: { examples: 1 },
    target: { options: entry.target.options },
  };
  const { event } = await makeControl({ createTarget }, namespace, spec, false);
  // What it shows once it holds something may be of another shape than nothing.
  await readJournal(namespace, entry.rail.module);
  return event.readBack ? { kind: 'fit' } : { kind: 'control-missed', why: event.detail };
}

async function asked<T>(what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const got = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${what} threw: ${got}`, { cause: error });
  }
}

function fits(schema: z.ZodType, value: unknown, what: string): void {
  const parsed = schema.safeParse(value);
  if (parsed.success) return;
  const issues = parsed.error.issues.map(
    ({ path, message }) => `  ${path.length === 0 ? 'itself' : path.join('.')}: ${message}`,
  );
  throw new UsageError([`${what} is not what it must be:`, ...issues].join('\n'));
}

function shapeOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return `an object with ${Object.keys(value).join(', ') || 'nothing'}`;
}
