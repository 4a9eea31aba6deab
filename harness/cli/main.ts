#!/usr/bin/env node
/**
 * The `killpoint` command: argv and the process in, exit code out. The commands themselves know
 * neither.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { exitCodes } from '../model/errors.ts';
import { builtInCatalogue } from '../plan/catalogue.ts';
import type { CliContext } from './context.ts';
import { createProgram } from './program.ts';
import { reportError } from './report-error.ts';

const defaultWidth = 160;

async function main(): Promise<number> {
  quietBrokenPipe(process.stdout);
  quietBrokenPipe(process.stderr);
  try {
    let exitCode: number = exitCodes.met;
    const program = createProgram(readContext(), (code) => {
      exitCode = code;
    });
    await program.parseAsync(process.argv);
    return exitCode;
  } catch (error) {
    const debug = process.env.KILLPOINT_DEBUG === '1';
    const { exitCode, message } = reportError(error, { debug });
    if (message !== '') process.stderr.write(`${message}\n`);
    return exitCode;
  }
}

function readContext(): CliContext {
  // From source the modules stand two folders up; when built, `dist/` lies between them and the package.
  const isBuilt = !import.meta.url.endsWith('.ts');
  const modules = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
  const packageFolder = fileURLToPath(new URL(isBuilt ? '../../..' : '../..', import.meta.url));
  return {
    print: (text) => process.stdout.write(text),
    note: (text) => process.stderr.write(text),
    progressStream: process.stderr,
    residentMemoryBytes: () => process.memoryUsage.rss(),
    progressIsTerminal: process.stderr.isTTY === true,
    width: process.stdout.columns ?? defaultWidth,
    colour: process.stdout.isTTY === true && !process.env.NO_COLOR,
    workingFolder: process.cwd(),
    matricesFolder: `${packageFolder}/matrices`,
    version: readVersion(`${packageFolder}/package.json`),
    catalogue: builtInCatalogue(modules, isBuilt ? '.js' : '.ts'),
    cores: availableParallelism(),
    onInterrupt: listenForSignals,
  };
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first signal stops the run in order and kills what it started; a second one does not wait for the rest. */
function listenForSignals(stop: () => void): () => void {
  let asked = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (asked) process.exit(exitCodes.inconclusive);
    asked = true;
    process.stderr.write(
      `\n${signal}: stopping, and writing what has run; once more to leave at once\n`,
    );
    stop();
  };
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}

/** Whoever reads has gone; that is theirs to decide, and what was run and stored stands. */
function quietBrokenPipe(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

function readVersion(path: string): string {
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
  return version;
}

process.exitCode = await main();
