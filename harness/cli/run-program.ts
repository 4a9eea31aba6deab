/** `killpoint run`, `list` and `merge`: plans run, shown and put together from their shards. */
import type { Command } from 'commander';
import type { Shard } from '../plan/shard.ts';
import {
  folderName,
  seedRange,
  shardOption,
  trialsRange,
  wholeNumber,
  workersRange,
} from './arguments.ts';
import type { CliContext } from './context.ts';
import { examples } from './help-examples.ts';
import { listCommand } from './list-command.ts';
import { mergeCommand } from './merge-command.ts';
import { runCommand } from './run-command.ts';

interface SharedOptions {
  readonly trials?: number;
  readonly workers?: number;
  readonly seed?: number;
  readonly out?: string;
  readonly shard?: Shard;
}

const selectionHelp =
  'a matrix (by name, or a path ending in .json) or ids of trials or cells; the matrix "default" when nothing is named';

export function addRun(
  program: Command,
  context: CliContext,
  finish: (code: number) => void,
): void {
  withPlanOptions(program.command('run'))
    .description('Run a matrix, or single trials, and write the results.')
    .argument('[names...]', selectionHelp)
    .option('--bail', 'stop after the first trial that does not meet its expectation', false)
    .option('--last-failed', 'run only what the last run of the matrix left unmet', false)
    .addHelpText(
      'after',
      examples([
        ['killpoint run', 'the default matrix into results/'],
        ['killpoint run smoke --workers 2', 'another matrix, into results/smoke/'],
        ['killpoint run ./mine.json --out chaos', 'your own matrix into chaos/'],
        [
          'killpoint run reference/stripe.keyed/during_call:now/none/none/same-again/1',
          'exactly that trial, again and again, into results/last/',
        ],
        [
          'killpoint run naive/stripe.keyed/during_call:now/none/none/same-again --trials 5',
          'five trials of one cell',
        ],
        ['killpoint run --last-failed', 'what results/ shows as unmet, into results/last/'],
        [
          'killpoint run full --shard 2/4',
          'the second quarter of the full plan, into results/full/shard-2-of-4/; see killpoint merge --help',
        ],
      ]),
    )
    .action(
      async (names: string[], options: SharedOptions & { bail: boolean; lastFailed: boolean }) => {
        finish(await runCommand(context, { names, ...options }));
      },
    );
}

export function addList(
  program: Command,
  context: CliContext,
  finish: (code: number) => void,
): void {
  withPlanOptions(program.command('list'))
    .description('Show what a run would do and how long it would take, without running it.')
    .argument('[names...]', selectionHelp)
    .option('--json', 'print it as JSON', false)
    .option('--ids', 'print the ids of the trials, one a line', false)
    .addHelpText(
      'after',
      examples([
        ['killpoint list', 'the default matrix in numbers'],
        ['killpoint list smoke --ids', 'the ids of its trials'],
        ['killpoint list full --shard 2/4 --ids', 'those of the second of four shards'],
        ['killpoint list --trials 4 --json', 'the numbers for four trials a cell, as JSON'],
      ]),
    )
    .action(async (names: string[], options: SharedOptions & { json: boolean; ids: boolean }) => {
      const { json, ids, ...shared } = options;
      const form = ids ? 'ids' : json ? 'json' : 'table';
      finish(await listCommand(context, { names, ...shared, form }));
    });
}

export function addMerge(
  program: Command,
  context: CliContext,
  finish: (code: number) => void,
): void {
  program
    .command('merge')
    .description('Put all shards of one plan together, as if it had been run in one piece.')
    .argument('<folders...>', 'the folders that killpoint run --shard has written, in any order')
    .requiredOption('--out <folder>', 'where the whole goes', folderName)
    .addHelpText(
      'after',
      examples([
        [
          'killpoint merge shards/* --out results/full',
          'the shards that were gathered below shards/; then: killpoint judge results/full',
        ],
        [
          'killpoint run smoke --shard 1/2 && killpoint run smoke --shard 2/2 && killpoint merge results/smoke/shard-* --out results/smoke',
          'a matrix in two parts, one after the other',
        ],
      ]) +
        '\nExits as the run of the whole would. Shards of different plans, seeds or versions, a shard that is there twice or not at all, and histories that are not what their records say are refused with 64.\n',
    )
    .action(async (folders: string[], { out }: { out: string }) => {
      finish(await mergeCommand(context, { folders, out }));
    });
}

function withPlanOptions(command: Command): Command {
  return command
    .option('--trials <number>', 'trials per cell', wholeNumber(trialsRange))
    .option(
      '--workers <number>',
      'trials side by side (default: 1.5 times the cores)',
      wholeNumber(workersRange),
    )
    .option('--seed <number>', "the run's seed instead of the matrix's", wholeNumber(seedRange))
    .option(
      '--shard <i/n>',
      'only the i-th of n parts of the plan, each trial being in exactly one; into a folder shard-i-of-n below the usual one',
      shardOption,
    )
    .option(
      '--out <folder>',
      'results folder (default: results for the matrix "default", results/NAME for another, results/last for ids; a matrix of your own must not have the name of one that comes with Killpoint, nor "last" or "histories", unless a folder is named here)',
      folderName,
    );
}
