/** What every `certify` command takes of how it runs. */
import type { Command } from 'commander';
import { folderName, seedRange, trialsRange, wholeNumber, workersRange } from './arguments.ts';

export interface CertifyRunOptions {
  readonly only?: string;
  readonly trials: number;
  readonly workers?: number;
  readonly seed: number;
  readonly out: string;
}

export function withRunOptions(
  command: Command,
  { only, out, what }: { readonly only: string; readonly out: string; readonly what: string },
): Command {
  return command
    .option('--only <cell>', only)
    .option('--trials <number>', 'trials per cell', wholeNumber(trialsRange), 1)
    .option(
      '--workers <number>',
      'trials side by side (default: 1.5 times the cores)',
      wholeNumber(workersRange),
    )
    .option('--seed <number>', 'the seed of the run', wholeNumber(seedRange), 1)
    .option('--out <folder>', what, folderName, out);
}
