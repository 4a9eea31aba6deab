/** The commands, their options and their help. Every action ends in an exit code; none exits. */
import { Command } from 'commander';
import {
  fileStem,
  folderName,
  seedRange,
  soundRange,
  wholeNumber,
  workersRange,
} from './arguments.ts';
import { addCertify } from './certify-program.ts';
import { compareCommand } from './compare-command.ts';
import type { CliContext } from './context.ts';
import { doctorCommand } from './doctor-command.ts';
import { examples } from './help-examples.ts';
import { initTargetCommand } from './init-command.ts';
import { judgeCommand } from './judge-command.ts';
import { addList, addMerge, addRun } from './run-program.ts';
import { publishedFolder } from './select-plan.ts';
import { selftestCommand } from './selftest-command.ts';
import { tableCommand } from './table-command.ts';

/** The matrix of this name is made to be compared, and what comes of it stands beside its folder. */
const comparedResults = `${publishedFolder}/comparison`;

const selftestResults = `${publishedFolder}/broken`;
const usualSoundTrials = 2_000;
const selftestSeed = 20261201;

interface SelftestOptions {
  readonly only?: string[];
  readonly sound?: number;
  readonly workers?: number;
  readonly seed: number;
  readonly out: string;
}

/** `finish` gets the exit code of the command that ran. */
export function createProgram(context: CliContext, finish: (code: number) => void): Command {
  const program = new Command('killpoint')
    .description(
      'Kills gates at chosen points of an effect, and compares what they claim with what the service shows.',
    )
    .version(context.version)
    .exitOverride()
    .configureOutput({ writeOut: context.print, writeErr: context.note })
    .showHelpAfterError('(killpoint --help, or killpoint COMMAND --help, shows what is possible)')
    .addHelpText(
      'after',
      examples([
        ['killpoint run', 'the default matrix, tables into results/'],
        ['killpoint run smoke', 'a quick look'],
        ['killpoint list', 'what a run would do, and how long it would take'],
        [
          'killpoint run full --shard 1/4',
          'a quarter of the full plan; killpoint merge puts four together',
        ],
        ['killpoint judge results', 'every verdict again, from the stored histories'],
        ['killpoint doctor', 'whether this machine can run it'],
      ]) +
        '\nExit codes: 0 every trial meets its expectation · 1 a finding too many or a missing one · 2 inconclusive, not run, or nothing but exclusions · 64 wrong usage or nothing matched · 70 a fault of Killpoint itself\n',
    );

  addRun(program, context, finish);
  addList(program, context, finish);
  addMerge(program, context, finish);

  program
    .command('judge')
    .description('Judge stored histories again and name every difference from what was stored.')
    .argument('<path>', 'a folder that killpoint run has written, or a certificate.json')
    .addHelpText(
      'after',
      examples([
        ['killpoint judge results', 'what the last run stored'],
        ['killpoint judge certificate/certificate.json', 'what killpoint certify stored'],
      ]),
    )
    .action(async (folder: string) => {
      finish(await judgeCommand(context, folder));
    });

  program
    .command('table')
    .description(
      'Show what each kill point demanded beside what run trials reached; exits 1 where they differ.',
    )
    .argument('[folder]', 'a folder that killpoint run has written', publishedFolder)
    .addHelpText('after', examples([['killpoint table', 'the published results']]))
    .action(async (folder: string) => {
      finish(await tableCommand(context, folder));
    });

  program
    .command('compare')
    .description(
      'Show what each gate did in the same crashes, side by side, and write it as markdown and JSON.',
    )
    .argument('[results]', 'a folder that killpoint run has written, or its file', comparedResults)
    .option('--out <name>', 'where to write, without .md and .json', fileStem, comparedResults)
    .addHelpText(
      'after',
      examples([
        [
          'killpoint compare',
          `the matrix comparison, into ${comparedResults}.md and ${comparedResults}.json`,
        ],
        ['killpoint compare results --out mine', 'the default matrix, into mine.md and mine.json'],
        ['killpoint compare ./downloaded.json', 'results of another machine'],
      ]),
    )
    .action(async (source: string, { out }: { out: string }) => {
      finish(await compareCommand(context, { source, out }));
    });

  addCertify(program, context, finish);

  program
    .command('init')
    .description('Begin something of your own.')
    .command('target')
    .description('Make a target, its rail, a test and a CI file that run as they stand.')
    .argument('<name>', 'what it is called, and its folder')
    .option('--dir <folder>', 'another folder than the name', folderName)
    .addHelpText('after', examples([['killpoint init target my-orders', 'into my-orders/']]))
    .action(async (name: string, { dir }: { dir?: string }) => {
      finish(await initTargetCommand(context, { name, ...(dir === undefined ? {} : { dir }) }));
    });

  program
    .command('selftest')
    .description(
      'Try everything that was broken on purpose, and as much that is sound: whether Killpoint sees, and sees nothing that is not there.',
    )
    .option(
      '--only <names...>',
      'only these broken parts, and nothing sound unless --sound asks for it',
    )
    .option(
      '--sound <number>',
      `trials of what is sound (default: ${usualSoundTrials})`,
      wholeNumber(soundRange),
    )
    .option(
      '--workers <number>',
      'trials side by side (default: 1.5 times the cores)',
      wholeNumber(workersRange),
    )
    .option(
      '--seed <number>',
      'the seed of every trial and of what is drawn',
      wholeNumber(seedRange),
      selftestSeed,
    )
    .option('--out <name>', 'where to write, without .md and .json', fileStem, selftestResults)
    .addHelpText(
      'after',
      examples([
        ['killpoint selftest', `all of it, into ${selftestResults}.md and ${selftestResults}.json`],
        [
          'killpoint selftest --only fresh-key one-page --out mine',
          'two broken parts, into mine.md and mine.json',
        ],
      ]),
    )
    .action(async ({ only = [], sound, ...rest }: SelftestOptions) => {
      const usual = only.length === 0 ? usualSoundTrials : 0;
      finish(await selftestCommand(context, { only, sound: sound ?? usual, ...rest }));
    });

  program
    .command('doctor')
    .description('Show what this machine offers, what is missing and what that costs.')
    .option('--json', 'print it as JSON', false)
    .addHelpText('after', examples([['killpoint doctor --json', 'the same for programs']]))
    .action(async (options: { json: boolean }) => {
      finish(await doctorCommand(context, options.json ? 'json' : 'text'));
    });

  return program;
}
