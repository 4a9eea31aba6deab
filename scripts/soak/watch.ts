/**
 * What this process holds at one moment: memory, open descriptors, live children, subjects that carry
 * its token wherever they went, and bytes below the folders it writes to. Linux, as everything that
 * proves a kill.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tokenVariable } from '../../harness/kills/process-table.ts';

export interface Holdings {
  readonly rssMiB: number;
  readonly descriptors: number;
  /** Its bundler's service is one of them for as long as it runs. */
  readonly children: number;
  readonly subjects: number;
  readonly diskMiB: number;
  readonly files: number;
}

export function readHoldings(folders: readonly string[]): Holdings {
  const disk = folders.map(sizeOf);
  return {
    rssMiB: inMiB(process.memoryUsage.rss()),
    descriptors: readdirSync('/proc/self/fd').length,
    ...countProcesses(),
    diskMiB: inMiB(disk.reduce((sum, { bytes }) => sum + bytes, 0)),
    files: disk.reduce((sum, { files }) => sum + files, 0),
  };
}

/** Zombies are dead. */
function countProcesses(): { readonly children: number; readonly subjects: number } {
  let children = 0;
  let subjects = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readIfThere(`/proc/${name}/stat`);
    const [state, parent] = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
    if (stat === '' || state === 'Z' || state === 'X') continue;
    if (Number(parent) === process.pid) children += 1;
    // Every subject of this process is given a token that begins with its pid.
    const environment = readIfThere(`/proc/${name}/environ`);
    if (environment.includes(`${tokenVariable}=${process.pid}-`)) subjects += 1;
  }
  return { children, subjects };
}

/** Empty when the process has gone meanwhile, or is another user's and so none of ours. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(code)) return '';
    throw error;
  }
}

function sizeOf(folder: string): { readonly bytes: number; readonly files: number } {
  let bytes = 0;
  let files = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
    files += 1;
  }
  return { bytes, files };
}

function inMiB(bytes: number): number {
  return Math.round((bytes / 2 ** 20) * 10) / 10;
}
