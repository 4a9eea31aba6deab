/** One cell as a test, under Vitest or any other runner: nothing of a runner is imported. */
export type { FindingName } from './model/findings.ts';
export { CellError, expectFindings, expectHolds } from './one-cell/expect-cell.ts';
export { type CellRequest, type CellResult, runCell } from './one-cell/run-cell.ts';
export type { CellSubjects, OwnGate, OwnModule } from './one-cell/subjects.ts';
