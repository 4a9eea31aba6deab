/**
 * Bundles gates, targets and rails into single files: a bundled subject starts in half the time, and a
 * user's TypeScript needs no build step. Ours are bundled exactly as a stranger's are.
 */
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { HarnessError } from '../model/errors.ts';
import type { Replacements } from '../plan/catalogue-entry.ts';

export interface BundleEntry {
  readonly module: string;
  readonly replaces?: Replacements | undefined;
}

/** Writes `NAME.cjs` into the folder for every entry and returns their paths by name. */
export async function bundleModules(
  entries: ReadonlyMap<string, BundleEntry>,
  folder: string,
): Promise<ReadonlyMap<string, string>> {
  const asTheyStand = [...entries].filter(([, { replaces }]) => replaces === undefined);
  const replaced = [...entries].filter(([, { replaces }]) => replaces !== undefined);
  if (asTheyStand.length > 0) await bundleTogether(asTheyStand, folder, {});
  for (const entry of replaced) await bundleTogether([entry], folder, entry[1].replaces ?? {});
  return new Map([...entries.keys()].map((name) => [name, join(folder, `${name}.cjs`)]));
}

async function bundleTogether(
  entries: readonly (readonly [string, BundleEntry])[],
  folder: string,
  replaces: Replacements,
): Promise<void> {
  const modules = entries.map(([, { module }]) => module);
  const replacedSeen = new Set<string>();
  try {
    await build({
      entryPoints: entries.map(([name, { module }]) => ({ in: module, out: name })),
      outdir: folder,
      outExtension: { '.js': '.cjs' },
      bundle: true,
      platform: 'node',
      target: 'node20',
      // Measured: CommonJS starts faster than ESM, and without its white space faster still.
      format: 'cjs',
      minifyWhitespace: true,
      minifySyntax: true,
      logLevel: 'silent',
      plugins: [nativeSqlite(), replacement(replaces, replacedSeen)],
    });
  } catch (error) {
    throw new HarnessError(
      'target-unloadable',
      `can't bundle ${modules.join(', ')}: ${String(error)}; mend what it names and run again`,
      error,
    );
  }
  // A part that was broken on purpose and is not in the bundle would be found sound.
  const unused = Object.keys(replaces).filter((original) => !replacedSeen.has(original));
  if (unused.length > 0) {
    throw new HarnessError(
      'target-unloadable',
      `expected ${modules.join(', ')} to import ${unused.join(', ')}, so that it can be replaced; it does not. Name a module that is imported`,
    );
  }
}

/** Every importer but what stands in itself gets what stands in. */
function replacement(replaces: Replacements, seen: Set<string>): Plugin {
  return {
    name: 'replacement',
    setup(pluginBuild) {
      if (Object.keys(replaces).length === 0) return;
      pluginBuild.onResolve({ filter: /^\.{1,2}\// }, ({ path, importer, resolveDir }) => {
        const original = resolve(resolveDir, path);
        const standsIn = replaces[original];
        if (standsIn === undefined || importer === standsIn) return undefined;
        seen.add(original);
        return { path: standsIn };
      });
    },
  };
}

/**
 * better-sqlite3 finds its native file by walking up from its own source, which a bundle has left. The
 * package it asks for that, `bindings`, is replaced by the path itself.
 */
function nativeSqlite(): Plugin {
  return {
    name: 'native-sqlite',
    setup(pluginBuild) {
      pluginBuild.onResolve({ filter: /^bindings$/ }, () => ({
        path: 'bindings',
        namespace: 'native-sqlite',
      }));
      pluginBuild.onLoad({ filter: /.*/, namespace: 'native-sqlite' }, () => ({
        contents: `module.exports = () => require(${JSON.stringify(nativeSqlitePath())});`,
        loader: 'js',
      }));
      pluginBuild.onResolve({ filter: /\.node$/ }, ({ path }) => ({ path, external: true }));
    },
  };
}

function nativeSqlitePath(): string {
  const packageJson = createRequire(import.meta.url).resolve('better-sqlite3/package.json');
  return join(dirname(packageJson), 'build', 'Release', 'better_sqlite3.node');
}
