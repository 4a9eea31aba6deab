/**
 * What a run holds open: bundles, rails, the lease authority and the folder trials work in. Whoever
 * opens a lab closes it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  ApplicationDatabase,
  ApplicationDatabases,
  CreateApplicationDatabases,
  CreateRail,
  Rail,
} from '../../adapters/rail.ts';
import type { CreateTarget } from '../../adapters/target.ts';
import { HarnessError } from '../model/errors.ts';
import type {
  DeclaredTarget,
  GateEntry,
  ModuleReference,
  TargetEntry,
} from '../plan/catalogue-entry.ts';
import { type AuthorityServer, openAuthorityServer } from './authority-server.ts';
import { type BundleEntry, bundleModules } from './bundle.ts';
import { inTurn } from './waits.ts';

export interface LoadedTarget {
  readonly declared: DeclaredTarget;
  /** The bundled module a subject loads. */
  readonly modulePath: string;
  /** The same module's factory, for the harness's own positive control. */
  readonly createTarget: CreateTarget;
  readonly rail: Rail;
}

/** What rails may read besides their options: keys and addresses of services that are not ours. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Lab {
  /** Scratch space, removed with the lab. */
  readonly folder: string;
  readonly authority: AuthorityServer;
  commandOf(gate: string): readonly string[];
  targetOf(name: string): LoadedTarget;
  /** A database for one trial of a gate that keeps its books in one; null for any other. */
  openDatabaseOf(gate: string): Promise<ApplicationDatabase | null>;
  close(): Promise<void>;
}

/** Throws HarnessError when a module can't be bundled, loaded or started. */
export async function openLab(
  gates: readonly GateEntry[],
  targets: readonly TargetEntry[],
  environment: Environment = {},
): Promise<Lab> {
  const folder = await mkdtemp(join(tmpdir(), 'killpoint-'));
  const closers: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  // One that can't be closed must not keep the others open.
  const close = () => inTurn(closers.splice(0).reverse());
  try {
    const bundles = await bundleModules(modulesToBundle(gates, targets), join(folder, 'bundles'));
    closers.push(async () => forgetModules([...bundles.values()]));
    const bundled = (name: string) => bundles.get(name) ?? name;
    const loaded = new Map<string, LoadedTarget>();
    for (const entry of targets) {
      const modulePath = bundled(targetBundle(entry));
      const createTarget = loadExport<CreateTarget>(modulePath, entry.target, 'target-unloadable');
      const createRail = loadExport<CreateRail>(
        bundled(railBundle(entry.rail)),
        entry.rail,
        'rail-unloadable',
      );
      const rail = await createRail({ options: entry.rail.options, environment });
      closers.push(() => rail.close());
      const declared = { ...entry, ...(await readDeclaration(createTarget, rail, entry)) };
      loaded.set(entry.name, {
        declared,
        modulePath,
        createTarget,
        rail,
      });
    }
    const databases = new Map<string, ApplicationDatabases>();
    for (const { name, database } of gates) {
      if (database === undefined) continue;
      const create = loadExport<CreateApplicationDatabases>(
        bundled(railBundle(database)),
        database,
        'rail-unloadable',
      );
      const opened = create({ options: database.options, environment });
      closers.push(() => opened.close());
      databases.set(name, opened);
    }
    const authority = await openAuthorityServer();
    closers.push(() => authority.close());
    return {
      folder,
      authority,
      commandOf: (name) => commandOf(gates, name, bundled),
      openDatabaseOf: async (name) => (await databases.get(name)?.open()) ?? null,
      targetOf(name) {
        const target = loaded.get(name);
        if (target === undefined) throw new Error(`target ${name} was not loaded`);
        return target;
      },
      close,
    };
  } catch (error) {
    await Promise.allSettled([close()]);
    throw error;
  }
}

/** Reads what every target declares, by loading it the way a trial does. */
export async function declareTargets(
  targets: readonly TargetEntry[],
  environment: Environment = {},
): Promise<readonly DeclaredTarget[]> {
  const lab = await openLab([], targets, environment);
  try {
    return targets.map((target) => lab.targetOf(target.name).declared);
  } finally {
    await lab.close();
  }
}

function modulesToBundle(
  gates: readonly GateEntry[],
  targets: readonly TargetEntry[],
): ReadonlyMap<string, BundleEntry> {
  const modules = new Map<string, BundleEntry>();
  for (const gate of gates) {
    if (gate.run.kind === 'module') modules.set(gateBundle(gate), gate.run);
    if (gate.database !== undefined) modules.set(railBundle(gate.database), gate.database);
  }
  for (const target of targets) {
    modules.set(targetBundle(target), target.target);
    modules.set(railBundle(target.rail), target.rail);
  }
  return modules;
}

const gateBundle = (gate: GateEntry) => `gate-${gate.name}`;
// Variants of one module share its bundle.
const targetBundle = (entry: TargetEntry) => `target-${bundleName(entry.target)}`;
const railBundle = (rail: ModuleReference) => `rail-${bundleName(rail)}`;
const bundleName = ({ module, replaces }: ModuleReference) =>
  [module, ...Object.values(replaces ?? {})].join('-').replaceAll(/[^A-Za-z0-9]+/g, '_');

function commandOf(
  gates: readonly GateEntry[],
  name: string,
  bundled: (name: string) => string,
): readonly string[] {
  const gate = gates.find((candidate) => candidate.name === name);
  if (gate === undefined) throw new Error(`gate ${name} was not loaded`);
  return gate.run.kind === 'command'
    ? gate.run.command
    : [process.execPath, bundled(gateBundle(gate))];
}

/** Throws HarnessError for a module that can't be loaded, naming what it exports where that is something else. */
export function loadExport<T>(
  path: string,
  reference: ModuleReference,
  code: 'target-unloadable' | 'rail-unloadable',
): T {
  let loaded: Record<string, unknown>;
  try {
    loaded = createRequire(path)(path) as Record<string, unknown>;
  } catch (error) {
    throw new HarnessError(code, `${reference.module} can't be loaded: ${String(error)}`, error);
  }
  const found = loaded[reference.export];
  if (typeof found !== 'function') {
    throw new HarnessError(
      code,
      `${reference.module} must export a function "${reference.export}"; it exports: ${Object.keys(loaded).join(', ') || 'nothing'}`,
    );
  }
  return found as T;
}

/** Node keeps what it has loaded for ever, and every run loads bundles of its own. */
function forgetModules(paths: readonly string[]): void {
  for (const path of paths) {
    const require = createRequire(path);
    delete require.cache[require.resolve(path)];
  }
}

async function readDeclaration(
  createTarget: CreateTarget,
  rail: Rail,
  entry: TargetEntry,
): Promise<Omit<DeclaredTarget, keyof TargetEntry>> {
  const namespace = await rail.openNamespace('declaration');
  const target = createTarget({
    endpoint: namespace.endpoint,
    credentials: namespace.credentials,
    options: entry.target.options,
    now: Date.now,
  });
  const { declaration } = target;
  const railCan = namespace.arm === undefined ? [] : (namespace.can ?? []);
  const railMovesClock = namespace.setClock !== undefined;
  const railWorlds = namespace.world === undefined ? [] : (namespace.worldEvents ?? []);
  const railHolds = namespace.hold !== undefined;
  const railCaps = namespace.examples(1).capped !== undefined;
  const railSpeaks = namespace.endpoint.protocol;
  await target.close?.();
  await namespace.close?.();
  return {
    declaration,
    railCan,
    railMovesClock,
    railWorlds,
    railHolds,
    railCaps,
    railSpeaks,
    railUnavailable: rail.unavailable ?? null,
    ...(rail.refused === undefined ? {} : { railRefused: rail.refused }),
  };
}
