/** A stage from records and the histories beside them, read the same way after a run and much later. */
import { readFile } from 'node:fs/promises';
import type { Capability } from '../../adapters/reduced-target.ts';
import type { TargetDeclaration } from '../../adapters/target.ts';
import { eventsOf, placeInPhases } from '../checkers/seen.ts';
import type { History } from '../model/history.ts';
import { submittedPremises, whatEnds } from '../model/mandate.ts';
import { parseHistory } from '../model/parse-history.ts';
import type { TrialRecord } from '../model/results.ts';
import { historyPath } from '../results/history-path.ts';
import { exercisedIn } from './exercised.ts';
import type { Stage, StageTrial } from './judge-stage.ts';

export interface StageRecords {
  readonly without: readonly Capability[];
  readonly declaration: TargetDeclaration;
  readonly records: readonly TrialRecord[];
}

/** A history that can't be read shows nothing; whoever judges names that difference for itself. */
export async function readStage(folder: string, stage: StageRecords): Promise<Stage> {
  const trials: StageTrial[] = [];
  for (const record of stage.records) trials.push(await readTrial(folder, record));
  return { without: stage.without, declaration: stage.declaration, trials };
}

export async function findHistory(folder: string, id: string): Promise<History | null> {
  try {
    return parseHistory(await readFile(historyPath(folder, id), 'utf8'));
  } catch {
    return null;
  }
}

async function readTrial(folder: string, record: TrialRecord): Promise<StageTrial> {
  const nothing = { record, exercised: [], premisesMisjudged: false };
  if (record.verdict === 'excluded' || record.verdict === 'not-run') return nothing;
  const history = await findHistory(folder, record.id);
  if (history === null) return nothing;
  return {
    record,
    exercised: record.verdict === 'holds' ? exercisedIn(history) : [],
    premisesMisjudged: record.verdict === 'inconclusive' && misjudgesPremises(history),
  };
}

/**
 * The harness asks the target's own `validate` after the change. An answer that is not what had happened
 * leaves the trial inconclusive, and is the target's own word all the same.
 */
function misjudgesPremises(history: History): boolean {
  const { declaration, cell } = history.spec;
  if (submittedPremises(declaration, cell.world).length === 0) return false;
  const expected = whatEnds(declaration, cell.world) === 'premises' ? 'stale' : 'hold';
  const [change] = eventsOf({ events: placeInPhases(history) }, 'world');
  return change !== undefined && change.event.premises !== expected;
}
