/** Stands in for `reference/send.ts`: an attempt is recorded only once its call has ended. */
import type { Answer } from '../reference/judge-answer.ts';
import type { Allowance } from '../reference/permission.ts';
import type { IntentRow } from '../reference/schema.ts';
import {
  type Recorded,
  recordAttempt as record,
  settleAttempt as settle,
} from '../reference/send.ts';

export * from '../reference/send.ts';

const unrecorded = new Map<string, Allowance>();
type Engine = Parameters<typeof record>[0];

export function recordAttempt(_engine: Engine, row: IntentRow, allowance: Allowance): Recorded {
  unrecorded.set(row.decisionKey, allowance);
  return { kind: 'recorded', row };
}

export function settleAttempt(engine: Engine, row: IntentRow, answer: Answer): IntentRow {
  const allowance = unrecorded.get(row.decisionKey);
  if (allowance === undefined) throw new Error('expected an attempt that was not recorded');
  const recorded = record(engine, row, allowance);
  return recorded.kind === 'recorded' ? settle(engine, recorded.row, answer) : row;
}
