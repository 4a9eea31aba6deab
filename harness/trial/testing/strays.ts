/** Looks for subjects of this very process that are still alive, by the token every one of them carries. */
import { readdirSync, readFileSync } from 'node:fs';
import { isLive, readProcess, tokenVariable } from '../../kills/process-table.ts';

export function findStrays(): readonly number[] {
  const mark = `${tokenVariable}=${process.pid}-`;
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      const entry = Number.isInteger(pid) ? readProcess(pid) : null;
      return entry !== null && isLive(entry) && environmentOf(pid).includes(mark);
    });
}

/** Empty when the process has gone meanwhile, or is another user's and so none of ours. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}
