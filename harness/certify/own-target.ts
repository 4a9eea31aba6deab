/** A target and a rail that somebody else wrote, as the lab runs its own: from paths to an entry. */
import { existsSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { JsonObject } from '../../adapters/target.ts';
import { UsageError } from '../model/errors.ts';
import type { ModuleReference, TargetEntry } from '../plan/catalogue-entry.ts';
import { nameOfModule } from '../plan/module-name.ts';

export interface OwnTargetRequest {
  /** Paths as they were typed. */
  readonly target: string;
  readonly rail: string;
  readonly targetExport: string;
  readonly railExport: string;
  readonly options: JsonObject;
  readonly railOptions: JsonObject;
  /** The service's address, where it is one that already runs. */
  readonly againstUrl: string | null;
  readonly workingFolder: string;
}

export interface OwnTarget {
  readonly entry: TargetEntry;
  /** The target's file, as people call it. */
  readonly file: string;
}

/** Throws UsageError for a file that is not there. */
export function ownTarget(request: OwnTargetRequest): OwnTarget {
  const target = moduleAt(request.target, request.workingFolder, 'the target');
  const rail = moduleAt(request.rail, request.workingFolder, 'the rail (--rail)');
  const file = basename(target);
  const railOptions =
    request.againstUrl === null
      ? request.railOptions
      : { ...request.railOptions, url: request.againstUrl };
  return {
    file,
    entry: {
      name: nameOfModule(target),
      about: file,
      target: { module: target, export: request.targetExport, options: request.options },
      rail: { module: rail, export: request.railExport, options: railOptions },
    },
  };
}

function moduleAt(path: string, workingFolder: string, what: string): string {
  const found = resolve(workingFolder, path);
  if (!existsSync(found) || !statSync(found).isFile()) {
    throw new UsageError(
      `expected ${what} to be a TypeScript or JavaScript file, got "${path}", which is not there; name the file itself, with its ending`,
    );
  }
  return found;
}

/** A module beside nothing: the wrapper imports the user's by its whole path. */
export function wrapperSource(
  target: ModuleReference,
  reducer: string,
  without: readonly string[],
): string {
  return [
    `import { ${target.export} as createWhole } from ${JSON.stringify(target.module)};`,
    `import { reduceTarget } from ${JSON.stringify(reducer)};`,
    `export const createTarget = reduceTarget(createWhole, ${JSON.stringify(without)});`,
    '',
  ].join('\n');
}
