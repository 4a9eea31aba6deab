/** Versions of what a run rests on, read from the things themselves. */
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import type { Results } from '../model/results.ts';

export async function readEnvironment(): Promise<Results['environment']> {
  const [{ default: Database }, { default: Stripe }, { Octokit }] = await Promise.all([
    import('better-sqlite3'),
    import('stripe'),
    import('@octokit/core'),
  ]);
  const database = new Database(':memory:');
  const sqlite = database.prepare('select sqlite_version()').pluck().get();
  database.close();
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpus: availableParallelism(),
    versions: {
      sqlite: String(sqlite),
      stripe: Stripe.PACKAGE_VERSION,
      octokit: Octokit.VERSION,
      nodemailer: versionOf('nodemailer'),
    },
  };
}

/** Of a package that tells its version nowhere else. */
function versionOf(name: string): string {
  const { version } = createRequire(import.meta.url)(`${name}/package.json`) as { version: string };
  return version;
}
