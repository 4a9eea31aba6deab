/** Versions of what a run rests on, read from the things themselves. */
import { availableParallelism } from 'node:os';
import type { Results } from '../model/results.ts';

export async function readEnvironment(): Promise<Results['environment']> {
  const [{ default: Database }, { default: Stripe }] = await Promise.all([
    import('better-sqlite3'),
    import('stripe'),
  ]);
  const database = new Database(':memory:');
  const sqlite = database.prepare('select sqlite_version()').pluck().get();
  database.close();
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpus: availableParallelism(),
    versions: { sqlite: String(sqlite), stripe: Stripe.PACKAGE_VERSION },
  };
}
