/** Commands people can paste. Ids hold nothing that a shell would take for its own. */
import type { Results, TrialRecord } from '../model/results.ts';

/** Runs exactly this trial again: with the run's seed it gets the same schedule. */
export function rerunCommand(
  record: TrialRecord,
  results: Pick<Results, 'seed' | 'command'>,
): string {
  return rerunOfId(record.id, results);
}

/** What is somebody else's stands in no catalogue: it is run again by the command that tried it. */
export function rerunOfId(id: string, results: Pick<Results, 'seed' | 'command'>): string {
  const { command, seed } = results;
  if (!command.startsWith('npx killpoint certify '))
    return `npx killpoint run ${id} --seed ${seed}`;
  const [own = '', ...subject] = command.split(' -- ');
  return [`${own.replace(/ --only \S+/, '')} --only ${id}`, ...subject].join(' -- ');
}

/** `1 trial`, `2 trials`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `840 ms`, `12.3 s`, `4 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
