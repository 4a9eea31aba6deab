/** What is to be run and where it goes; what every command that runs a plan hands on. */
import type { MatrixSlice } from '../model/matrix.ts';
import type { Results } from '../model/results.ts';
import type { Plan } from '../plan/plan.ts';
import type { Shard } from '../plan/shard.ts';
import type { PlanShare } from '../plan/share.ts';
import type { LoadedCatalogue } from '../trial/run.ts';

export interface SelectedPlan {
  readonly plan: Plan;
  /** What it was made from: the targets that it names, and no other. */
  readonly subjects: LoadedCatalogue;
  /** How its trials were chosen. */
  readonly chosen: Omit<Results['plan'], 'idsSha256' | 'shard' | 'share'>;
  readonly outFolder: string;
  /** Of the matrix, which may tell chapters; empty for trials that were named one by one. */
  readonly slices: readonly MatrixSlice[];
  /** The command that makes the same plan again. */
  readonly command: string;
  /** Where the plan is a shard: which one, and of what; absent: it is the whole. */
  readonly part?: {
    readonly shard: Shard;
    readonly whole: Plan;
    /** The command that makes the whole plan. */
    readonly command: string;
  };
  /** How much of the full plan it is; absent: nobody asked. */
  readonly share?: PlanShare;
}
