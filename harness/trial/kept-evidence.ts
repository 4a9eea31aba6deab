/**
 * The ledger and everything the subject printed, for whoever looks into a trial that went wrong. In:
 * the trial's workspace, the path of its history, and what must not be kept. Out: a folder beside the
 * history. What is neither file nor folder is left out.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { concealInBytes } from './secrets.ts';

export function keepEvidence(
  workspace: string,
  historyPath: string,
  secrets: readonly string[],
): void {
  const evidence = historyPath.replace(/\.jsonl$/, '.evidence');
  rmSync(evidence, { recursive: true, force: true });
  copyFolder(workspace, evidence, secrets);
}

function copyFolder(from: string, to: string, secrets: readonly string[]): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const copy = join(to, entry.name);
    if (entry.isDirectory()) copyFolder(source, copy, secrets);
    else if (entry.isFile()) writeFileSync(copy, concealInBytes(readFileSync(source), secrets));
  }
}
