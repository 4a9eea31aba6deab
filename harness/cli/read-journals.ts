/**
 * What the journals held at the end of trials, read from their histories for reports that tell amounts.
 * Only a history whose hash stands in the results is read, so that nothing is told that was not judged.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readObservations } from '../checkers/facts.ts';
import { placeInPhases } from '../checkers/seen.ts';
import { parseHistory } from '../model/parse-history.ts';
import type { Results } from '../model/results.ts';
import type { JournalAtEnd } from '../reports/story.ts';
import { historyPath } from '../results/history-path.ts';

/** By the trial's id; one whose journal was not read at the end, or whose history is another, is missing. */
export async function readJournals(
  folder: string,
  { trials }: Pick<Results, 'trials'>,
): Promise<ReadonlyMap<string, JournalAtEnd>> {
  const journals = new Map<string, JournalAtEnd>();
  for (const { id, historySha256 } of trials) {
    if (historySha256 === null) continue;
    const bytes = await readFile(historyPath(folder, id));
    if (createHash('sha256').update(bytes).digest('hex') !== historySha256) continue;
    const journal = journalAtEnd(bytes.toString('utf8'));
    if (journal !== null) journals.set(id, journal);
  }
  return journals;
}

/** Of both decisions, where somebody asked for a second one. */
function journalAtEnd(history: string): JournalAtEnd | null {
  const { O2, second } = readObservations(placeInPhases(parseHistory(history)));
  if (O2.effects === null || O2.byOthers === null) return null;
  const own = [...O2.effects, ...(second.effects ?? [])];
  return {
    own: own.map(({ substance }) => substance),
    byOthers: O2.byOthers.map(({ substance }) => substance),
  };
}
