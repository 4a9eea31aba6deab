/**
 * Opens what one trial needs, has it told, and closes it again. In: a spec and what the run holds open.
 * Out: its history on disk. What keeps the harness from observing makes the trial inconclusive.
 */
import type { ApplicationDatabase, RailNamespace } from '../../adapters/rail.ts';
import { HarnessError } from '../model/errors.ts';
import type { TrialSpec } from '../model/trial.ts';
import type { Lab, LoadedTarget } from './lab.ts';
import { openRecorder, type RecordedHistory } from './recorder.ts';
import { secretsOf } from './secrets.ts';
import { Trial, type TrialInput } from './trial.ts';
import { inTurn } from './waits.ts';

export interface TrialOutcome {
  readonly recorded: RecordedHistory;
  /** What of the trial must not be kept. */
  readonly secrets: readonly string[];
}

/** Only an interruption is thrown, and what is the harness's own fault. */
export async function runTrial(input: TrialInput): Promise<TrialOutcome> {
  const { spec, lab } = input;
  const recorder = await openRecorder(input.historyPath, spec);
  const target = lab.targetOf(spec.cell.target);
  let namespace: RailNamespace | undefined;
  let database: ApplicationDatabase | null = null;
  let secrets: readonly string[] = [];
  try {
    namespace = await openNamespace(target, spec);
    secrets = secretsOf(namespace);
    recorder.conceal(secrets);
    database = await openDatabase(lab, spec);
    const environment = database === null ? {} : { DATABASE_URL: database.url };
    await new Trial({ ...input, environment, recorder, target, namespace }).run();
    return { recorded: await recorder.finish(), secrets };
  } catch (error) {
    if (input.signal.aborted) {
      recorder.abandon();
      throw new HarnessError('interrupted', 'the run was interrupted', error);
    }
    if (!(error instanceof HarnessError)) {
      recorder.abandon();
      throw error;
    }
    recorder.observe({ type: 'harness-error', code: error.code, message: error.message });
    return { recorded: await recorder.finish(), secrets };
  } finally {
    await inTurn([() => database?.close(), () => namespace?.close?.()]);
  }
}

/** What keeps a service from being there for a trial says nothing about the subject. */
async function openNamespace(
  target: LoadedTarget,
  { id, cell }: TrialSpec,
): Promise<RailNamespace> {
  try {
    return await target.rail.openNamespace(id);
  } catch (error) {
    throw new HarnessError(
      'rail-cannot',
      `the rail of ${cell.target} can't open a namespace: ${String(error)}`,
      error,
    );
  }
}

/** Nor does what keeps a subject's own books from being there. */
async function openDatabase(lab: Lab, { cell }: TrialSpec): Promise<ApplicationDatabase | null> {
  try {
    return await lab.openDatabaseOf(cell.gate);
  } catch (error) {
    throw new HarnessError(
      'rail-cannot',
      `no database can be opened for ${cell.gate}: ${String(error)}`,
      error,
    );
  }
}
