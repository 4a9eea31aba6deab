/**
 * What a certificate is about: the files of the user's own that a module is made of, each with its hash.
 * Packages are left out; their versions are the lock file's to say.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import type { Certificate } from '../model/certificate.ts';
import type { ModuleReference } from '../plan/catalogue-entry.ts';

/** Paths are written from the module's own folder, so that two checkouts agree. */
export async function hashSources(reference: ModuleReference): Promise<Certificate['rail']> {
  const base = dirname(reference.module);
  const { metafile } = await build({
    entryPoints: [reference.module],
    absWorkingDir: base,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const paths = Object.keys(metafile.inputs).toSorted();
  const files = await Promise.all(
    paths.map(async (path) => {
      const whole = resolve(base, path);
      return { path: relative(base, whole), sha256: hashOf(await readFile(whole)) };
    }),
  );
  const all = files.map(({ path, sha256 }) => `${sha256} ${path}\n`).join('');
  return {
    module: relative(base, reference.module),
    export: reference.export,
    sha256: hashOf(all),
    files,
  };
}

function hashOf(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
