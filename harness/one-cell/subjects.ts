/**
 * Who is under test in a single cell: a gate and a target of the catalogue's, by name, or the user's own
 * modules. In: what was written in a test. Out: entries of a catalogue. Throws UsageError.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../adapters/target.ts';
import { UsageError } from '../model/errors.ts';
import type {
  Catalogue,
  GateEntry,
  ModuleReference,
  TargetEntry,
} from '../plan/catalogue-entry.ts';
import { nameOfModule } from '../plan/module-name.ts';
import { named } from '../plan/plan.ts';

/** A module of the user's, TypeScript or JavaScript; it is bundled, and needs no build step. */
export interface OwnModule {
  /** A path, from the working folder on, or `new URL('./target.ts', import.meta.url)`. */
  readonly module: string | URL;
  /** Absent: `createTarget` of a target, `createRail` of a rail. */
  readonly export?: string;
  readonly options?: JsonObject;
}

/** What is loaded from a module where nothing else is named. */
export const usualExports = { target: 'createTarget', rail: 'createRail' } as const;

/** A module that runs as a subject, or any command that speaks the subject protocol. */
export type OwnGate = Pick<OwnModule, 'module'> | { readonly command: readonly string[] };

export interface CellSubjects {
  /** One's own, or the name of one that comes with Killpoint, such as `stripe.keyed`. */
  readonly target: OwnModule | string;
  /** Of one's own target; one that comes with Killpoint has its own. */
  readonly rail?: OwnModule;
  /** Absent: the reference gate. */
  readonly gate?: OwnGate | string;
}

export interface FoundSubjects {
  readonly gate: GateEntry;
  readonly target: TargetEntry;
}

export function findSubjects(
  { target, rail, gate = 'reference' }: CellSubjects,
  catalogue: Catalogue,
): FoundSubjects {
  return { gate: findGate(gate, catalogue), target: findTarget(target, rail, catalogue) };
}

function findTarget(
  target: CellSubjects['target'],
  rail: OwnModule | undefined,
  catalogue: Catalogue,
): TargetEntry {
  if (typeof target === 'string') {
    if (rail === undefined) return named(catalogue.targets, target, 'target');
    throw new UsageError(
      `expected no rail beside the target ${target}, which has its own, got one; leave it out, or name your own target by its module`,
    );
  }
  if (rail === undefined) {
    throw new UsageError(
      'expected a rail beside the target: rail: { module: … }, got none; write one with killpoint/rail-kit, or see docs/adding-a-target.md',
    );
  }
  const found = referenceTo(target, 'target');
  return {
    name: nameOfModule(found.module),
    about: found.module,
    target: found,
    rail: referenceTo(rail, 'rail'),
  };
}

function findGate(gate: OwnGate | string, catalogue: Catalogue): GateEntry {
  if (typeof gate === 'string') return named(catalogue.gates, gate, 'gate');
  if ('command' in gate) {
    const about = gate.command.join(' ');
    const command = { kind: 'command', command: gate.command } as const;
    return { name: 'own-gate', about, lacks: [], run: command };
  }
  const module = pathOf(gate.module, 'gate');
  return {
    name: nameOfModule(module),
    about: module,
    lacks: [],
    run: { kind: 'module', module },
  };
}

function referenceTo(own: OwnModule, what: keyof typeof usualExports): ModuleReference {
  return {
    module: pathOf(own.module, what),
    export: own.export ?? usualExports[what],
    options: own.options ?? {},
  };
}

function pathOf(module: string | URL, what: string): string {
  const isUrl = module instanceof URL || module.startsWith('file:');
  const path = isUrl ? fileURLToPath(module) : resolve(module);
  if (existsSync(path)) return path;
  throw new UsageError(
    `expected the module of the ${what} at ${path}, got nothing there; paths count from the working folder (${process.cwd()}), new URL('./${what}.ts', import.meta.url) from the test`,
  );
}
