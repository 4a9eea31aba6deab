/** One shard of a selected plan, with a folder of its own. */
import { join } from 'node:path';
import { UsageError } from '../model/errors.ts';
import { formatShard, type Shard, shardOf } from '../plan/shard.ts';
import type { SelectedPlan } from './selected-plan.ts';

export interface ShardPlace {
  readonly shard: Shard;
  /** Whether the folder of the selected plan was named, instead of being the usual one. */
  readonly isFolderNamed: boolean;
  /** Where the tables of whole plans stand. */
  readonly wholeFolders: readonly string[];
}

/** Throws UsageError where the plan has too few trials, and where the whole's tables would be replaced. */
export function selectShard(whole: SelectedPlan, place: ShardPlace): SelectedPlan {
  const { shard, isFolderNamed, wholeFolders } = place;
  if (isFolderNamed && wholeFolders.includes(whole.outFolder)) {
    throw new UsageError(
      `expected a folder of its own for shard ${formatShard(shard)}, got ${whole.outFolder}, where tables of whole plans stand: a shard shows only its part; leave --out away, or name another folder`,
    );
  }
  const ownFolder = `shard-${shard.index}-of-${shard.count}`;
  return {
    ...whole,
    plan: shardOf(whole.plan, shard),
    outFolder: isFolderNamed ? whole.outFolder : join(whole.outFolder, ownFolder),
    command: `${whole.command} --shard ${formatShard(shard)}`,
    part: { shard, whole: whole.plan, command: whole.command },
  };
}
