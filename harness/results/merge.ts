/**
 * Results of all shards of one plan become the results that the plan would have had in one piece: the
 * records in the plan's order, everything that is counted counted anew. Pure.
 */
import { UsageError } from '../model/errors.ts';
import type { Results, TrialRecord } from '../model/results.ts';
import { formatShard, putTogether } from '../plan/shard.ts';
import { assembleResults } from './assemble.ts';
import { isTrial } from './counts.ts';
import { isSame } from './differences.ts';
import { hashPlanOfRecords } from './plan-hash.ts';

export interface StoredShard {
  /** Where it was read from, as people named it. */
  readonly folder: string;
  readonly results: Results;
}

interface KnownShard extends StoredShard {
  readonly shard: NonNullable<Results['plan']['shard']>;
}

/** Throws UsageError for anything but all shards of one plan, each once. */
export function mergeResults(stored: readonly StoredShard[]): Results {
  const shards = stored.map(knownShard);
  const [first, ...others] = shards;
  if (first === undefined) throw new UsageError('expected the folders of shards, got none');
  for (const other of others) assertOfOnePlan(first, other);
  const inTurn = inOrder(shards, first.shard.count);
  const records = putRecordsTogether(inTurn, first.shard.idsSha256);
  const results = inTurn.map((shard) => shard.results);
  const { plan } = first.results;
  return assembleResults(
    {
      ...first.results,
      version: first.results.tool.version,
      // Where they differ, the smaller number promises less.
      environment: {
        ...first.results.environment,
        cpus: Math.min(...results.map(({ environment }) => environment.cpus)),
      },
      plan: { ...plan, idsSha256: first.shard.idsSha256, shard: null, share: shareOfAll(results) },
      command: first.shard.command,
      workers: Math.max(...results.map(({ workers }) => workers)),
    },
    {
      records,
      startedAt: results.map(({ startedAt }) => startedAt).sort()[0] ?? '',
      durationMs: results.reduce((sum, { durationMs }) => sum + durationMs, 0),
      finished: results.every(({ finished }) => finished),
    },
  );
}

function knownShard({ folder, results }: StoredShard): KnownShard {
  const { shard } = results.plan;
  if (shard !== null) return { folder, results, shard };
  throw new UsageError(
    `expected a shard in ${folder}, got the whole plan of ${results.matrix}; name folders that \`killpoint run --shard i/n\` has written`,
  );
}

/** Whatever decides what was tried and what it means; the order is that in which it is told. */
const shared: readonly (readonly [string, (shard: KnownShard) => unknown])[] = [
  ['the version of Killpoint', ({ results }) => results.tool.version],
  ['the matrix', ({ results }) => results.matrix],
  ['the seed', ({ results }) => results.seed],
  ['the number of shards', ({ shard }) => shard.count],
  ['the trials per cell', ({ results }) => results.plan.trialsPerCell],
  ['the gates', ({ results }) => results.gates],
  ['the targets and what they declare', ({ results }) => results.targets],
  ['the planned ids (SHA-256)', ({ shard }) => shard.idsSha256],
  ['what the matrix leaves out on purpose', ({ results }) => results.plan.exclusions],
  ['where the matrix came from', ({ results }) => results.plan.from],
  ['the versions under test', ({ results }) => results.environment.versions],
  ['Node', ({ results }) => results.environment.node],
  ['the platform', ({ results }) => results.environment.platform],
];

function assertOfOnePlan(first: KnownShard, other: KnownShard): void {
  const difference = shared.find(([, read]) => !isSame(read(first), read(other)));
  if (difference === undefined) return;
  const [what, read] = difference;
  const say = (shard: KnownShard) => `${shorten(read(shard))} in ${shard.folder}`;
  throw new UsageError(
    `expected shards of one plan, got two that differ in ${what}: ${say(first)}, ${say(other)}; run all shards with one version, one command and one seed`,
  );
}

/** Facts of gates and targets fill pages; that they differ is what counts. */
function shorten(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 120 ? text : `${text.slice(0, 117)}...`;
}

function inOrder(shards: readonly KnownShard[], count: number): readonly KnownShard[] {
  const indices = Array.from({ length: count }, (_, place) => place + 1);
  const missing: string[] = [];
  const found = indices.flatMap((index): readonly KnownShard[] => {
    const [shard, again] = shards.filter((candidate) => candidate.shard.index === index);
    if (shard === undefined) {
      missing.push(formatShard({ index, count }));
      return [];
    }
    if (again === undefined) return [shard];
    throw new UsageError(
      `expected each shard once, got ${formatShard(shard.shard)} in ${shard.folder} and in ${again.folder}; name one of them`,
    );
  });
  if (missing.length === 0) return found;
  throw new UsageError(
    `expected all ${count} shards, got ${found.length}; missing: ${missing.join(', ')}; what they planned stands in no other, so that it can't even be counted as not run: run them (${found[0]?.shard.command ?? ''} --shard ${missing[0]}) and name their folders too`,
  );
}

function putRecordsTogether(
  shards: readonly KnownShard[],
  idsSha256: string,
): readonly TrialRecord[] {
  const hands = (belongs: (record: TrialRecord) => boolean) =>
    putTogether(shards.map(({ results }) => results.trials.filter(belongs)));
  const trials = hands(isTrial);
  const excluded = hands((record) => !isTrial(record));
  const records = [...(trials ?? []), ...(excluded ?? [])];
  if (trials !== undefined && excluded !== undefined && hashPlanOfRecords(records) === idsSha256) {
    return records;
  }
  throw new UsageError(
    'expected records that make up the plan which the shards name, got others: records were taken out, put in or moved; `killpoint judge FOLDER` of each shard says which, run it again',
  );
}

function shareOfAll(results: readonly Results[]): Results['plan']['share'] {
  const shares = results.map(({ plan }) => plan.share);
  const [first] = shares;
  if (first === undefined || first === null) return null;
  return { ...first, trials: shares.reduce((sum, share) => sum + (share?.trials ?? 0), 0) };
}
