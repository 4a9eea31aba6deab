/** Which trials are measured: a seeded sample of the default matrix, and what starts they made. */
import { readFileSync } from 'node:fs';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { ObservedEvent } from '../../harness/model/history.ts';
import { parseHistory } from '../../harness/model/parse-history.ts';
import type { PlannedTrial } from '../../harness/plan/plan.ts';

/** Without putting back; the same seed gives the same sample in the same order. */
export function sampleTrials(
  trials: readonly PlannedTrial[],
  count: number,
  seed: number,
): readonly PlannedTrial[] {
  const generator = xoroshiro128plus(seed | 0);
  const left = [...trials];
  const sample: PlannedTrial[] = [];
  while (sample.length < count && left.length > 0) {
    sample.push(...left.splice(uniformInt(generator, 0, left.length - 1), 1));
  }
  return sample;
}

/** Parts of as equal a size as can be, none empty. */
export function inBlocks<T>(items: readonly T[], blocks: number): readonly (readonly T[])[] {
  const size = Math.ceil(items.length / blocks);
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

type Role = Extract<ObservedEvent, { type: 'spawned' }>['role'];

export interface StartMade {
  readonly role: Role;
  readonly end: 'killed' | 'stopped';
}

/** The processes one trial started, in order. */
export interface TrialStarts {
  readonly gate: string;
  readonly target: string;
  readonly starts: readonly StartMade[];
}

export function readStarts(historyPath: string): TrialStarts {
  const { spec, events } = parseHistory(readFileSync(historyPath, 'utf8'));
  const observed = events.map(({ event }) => event);
  const killed = new Set(
    observed.flatMap((event) => (event.type === 'kill-sent' ? [event.incarnation] : [])),
  );
  return {
    gate: spec.cell.gate,
    target: spec.cell.target,
    starts: observed.flatMap((event) =>
      event.type === 'spawned'
        ? [{ role: event.role, end: killed.has(event.incarnation) ? 'killed' : 'stopped' }]
        : [],
    ),
  };
}

/** Those that a trial starts side by side stand together: the processes of a storm. */
export function startedTogether(starts: readonly StartMade[]): readonly (readonly StartMade[])[] {
  const groups: StartMade[][] = [];
  for (const start of starts) {
    const last = groups.at(-1);
    if (start.role === 'storm' && last?.[0]?.role === 'storm') last.push(start);
    else groups.push([start]);
  }
  return groups;
}
