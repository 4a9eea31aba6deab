/** Where the history of a trial stands below a results folder. */
import { join } from 'node:path';

export const historiesFolder = 'histories';

/** Slashes of the id become double underscores, so that every history is one file in one folder. */
export function historyPath(resultsFolder: string, trialId: string): string {
  return join(resultsFolder, historiesFolder, `${trialId.replaceAll('/', '__')}.jsonl`);
}
