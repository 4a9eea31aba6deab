/** Whether stored results agree with themselves, and with the matrix they name. Pure. */
import { type Matrix, slicesOf, type WholeMatrix } from '../model/matrix.ts';
import type { Results, TrialRecord } from '../model/results.ts';
import { expandMatrix } from '../plan/plan.ts';
import { formatShard, shardOf } from '../plan/shard.ts';
import { findBlindSpots } from './blind-spots.ts';
import { countRecords } from './counts.ts';
import { type Difference, difference, isSame } from './differences.ts';
import { hashPlan, hashPlanOfRecords } from './plan-hash.ts';
import { entriesOf } from './subjects.ts';

export function compareRun(results: Results): readonly Difference[] {
  return [
    ...compareCounts(results),
    ...compareBlindSpots(results),
    ...compareFinished(results),
    ...compareIds(results),
    ...findRepeats(results.trials),
  ];
}

/**
 * The matrix expanded again with what is stored of gates and targets. A matrix that does not fit its
 * own pinned number says nothing about these results, so nothing is compared and `skipped` says why.
 */
export function comparePlan(
  results: Results,
  matrix: Matrix | WholeMatrix,
): { readonly differences: readonly Difference[]; readonly skipped: string | null } {
  const strangers = [
    ...strangersIn(matrix, 'gates', results.gates),
    ...strangersIn(matrix, 'targets', results.targets),
  ];
  if (strangers.length > 0) {
    const message = `the matrix ${matrix.name} names what these results do not know: ${strangers.join(', ')}`;
    return { differences: [difference('plan-differs', null, message)], skipped: null };
  }
  const { trialsPerCell } = results.plan;
  let expanded: ReturnType<typeof expandMatrix>;
  try {
    expanded = expandMatrix({
      matrix,
      ...entriesOf(results),
      seed: results.seed,
      ...(trialsPerCell === null ? {} : { trialsPerCell }),
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { differences: [], skipped: `the plan was not compared: ${why}` };
  }
  const { shard } = results.plan;
  const owed = shard === null ? expanded : shardOf(expanded, shard);
  if (shard !== null && shard.idsSha256 !== hashPlan(expanded)) {
    const message = `the matrix ${matrix.name} plans other trials than the plan that this is shard ${formatShard(shard)} of`;
    return { differences: [difference('plan-differs', null, message)], skipped: null };
  }
  if (hashPlan(owed) === hashPlanOfRecords(results.trials)) {
    return { differences: [], skipped: null };
  }
  const planned = [...owed.trials, ...owed.excluded].map(({ id }) => id);
  const inShard = shard === null ? '' : ` in shard ${formatShard(shard)}`;
  const message = `the matrix ${matrix.name} plans ${owed.trials.length} trials and ${owed.excluded.length} excluded cells${inShard}; ${describeIds(planned, results.trials)}`;
  return { differences: [difference('plan-differs', null, message)], skipped: null };
}

function compareCounts(results: Results): readonly Difference[] {
  const counted = countRecords(results.trials);
  return (Object.keys(counted) as (keyof typeof counted)[])
    .filter((name) => results.counts[name] !== counted[name])
    .map((name) =>
      difference(
        'counts-differ',
        null,
        `counts.${name}: stored ${results.counts[name]}, the records give ${counted[name]}`,
      ),
    );
}

function compareBlindSpots({ trials, gates, blindSpots }: Results): readonly Difference[] {
  const spots = findBlindSpots(trials, gates);
  if (isSame(blindSpots, spots)) return [];
  const message = `stored ${JSON.stringify(blindSpots)}, the records give ${JSON.stringify(spots)}`;
  return [difference('blind-spots-differ', null, message)];
}

function compareFinished({ trials, finished }: Results): readonly Difference[] {
  const notRun = trials.filter(({ verdict }) => verdict === 'not-run').length;
  if (!finished || notRun === 0) return [];
  const message = `stored as a run that came to its end, ${notRun} of its trials are not run`;
  return [difference('finished-differs', null, message)];
}

function compareIds({ trials, plan }: Results): readonly Difference[] {
  const found = hashPlanOfRecords(trials);
  if (found === plan.idsSha256) return [];
  const message = `the records are not those that were planned: SHA-256 of the planned ids ${plan.idsSha256}, of the records' ${found}`;
  return [difference('trials-differ', null, message)];
}

function findRepeats(records: readonly TrialRecord[]): readonly Difference[] {
  const seen = new Set<string>();
  return records.flatMap(({ id }) => {
    const repeated = seen.has(id);
    seen.add(id);
    return repeated ? [difference('listed-twice', id, 'two records of one trial')] : [];
  });
}

function strangersIn(
  matrix: Matrix | WholeMatrix,
  axis: 'gates' | 'targets',
  known: readonly { readonly name: string }[],
): readonly string[] {
  const named = new Set(slicesOf(matrix).flatMap((slice) => slice[axis]));
  return [...named].filter((name) => !known.some((entry) => entry.name === name));
}

function describeIds(planned: readonly string[], records: readonly TrialRecord[]): string {
  const stored = new Set(records.map(({ id }) => id));
  const known = new Set(planned);
  const missing = planned.filter((id) => !stored.has(id));
  const extra = records.map(({ id }) => id).filter((id) => !known.has(id));
  const parts = [
    ...(missing.length === 0 ? [] : [`${missing.length} have no record, such as ${missing[0]}`]),
    ...(extra.length === 0
      ? []
      : [`${extra.length} records are of none of them, such as ${extra[0]}`]),
  ];
  return parts.length === 0 ? 'the records stand in another order' : parts.join('; ');
}
