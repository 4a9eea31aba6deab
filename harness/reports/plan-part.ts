/** Which part of which plan results are of, in words. Pure. */
import type { Results } from '../model/results.ts';
import { formatShard } from '../plan/shard.ts';

/** A line for a shard and one for the share of the full plan; none where there is nothing to say. */
export function describePart({ plan }: Pick<Results, 'plan'>): readonly string[] {
  const { shard, share } = plan;
  return [
    ...(shard === null
      ? []
      : [
          `shard ${formatShard(shard)}: one part of the plan that \`${shard.command}\` runs; killpoint merge puts all ${shard.count} together`,
        ]),
    ...(share === null
      ? []
      : [
          `${grouped(share.trials)} of ${grouped(share.of)} trials of the ${share.matrix} plan (${percent(share.trials, share.of)})`,
        ]),
  ];
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** Whole percents, and never all or nothing where it is not. */
function percent(part: number, whole: number): string {
  if (part === whole) return '100 %';
  const rounded = Math.round((100 * part) / whole);
  if (rounded === 0) return part === 0 ? '0 %' : 'less than 1 %';
  return rounded === 100 ? 'more than 99 %' : `${rounded} %`;
}
