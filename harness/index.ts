/**
 * The library's face: plan, run, judge, render. Nothing happens on import; nothing here prints, exits
 * or reads the command line.
 */
export { judge } from './checkers/judge.ts';
export {
  type ArmedFault,
  type CallerBehaviour,
  type Cell,
  type FaultName,
  formatCellId,
  formatTrialId,
  type Phase,
  parseId,
  type Scenario,
  type WorldEvent,
} from './model/cell.ts';
export { exitCodes, HarnessError, UsageError } from './model/errors.ts';
export {
  type Claim,
  classify,
  type Ending,
  type Expectation,
  expectScenario,
  formatEndings,
  type GuaranteeClass,
  guaranteeClasses,
} from './model/expectation.ts';
export {
  type Finding,
  type FindingName,
  findingMeanings,
  type MissName,
} from './model/findings.ts';
export type { History, HistoryEvent, ObservedEvent } from './model/history.ts';
export { type KillPoint, killPoints } from './model/kill-points.ts';
export { expectedFindings, expectLacking } from './model/lacking.ts';
export { type Matrix, matrixSchema, type WholeMatrix } from './model/matrix.ts';
export { parseHistory } from './model/parse-history.ts';
export { type Counts, type Results, resultsSchema, type TrialRecord } from './model/results.ts';
export { type RuleName, ruleMeanings } from './model/rules.ts';
export type { TrialSpec } from './model/trial.ts';
export type { Verdict } from './model/verdict.ts';
export { builtInCatalogue } from './plan/catalogue.ts';
export type { Catalogue, DeclaredTarget, GateEntry, TargetEntry } from './plan/catalogue-entry.ts';
export { loadMatrix } from './plan/matrix-file.ts';
export { expandMatrix, type Plan, type PlannedTrial, planTrial } from './plan/plan.ts';
export { type Shard, shardOf } from './plan/shard.ts';
export { loadCatalogue, type RunOptions, type RunOutcome, runPlan } from './trial/run.ts';
