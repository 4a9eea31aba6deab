/** What this machine offers a run, each found out by trying it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

export interface Check {
  readonly name: string;
  /** `missing`: something is lost. `fatal`: nothing can run. */
  readonly state: 'fine' | 'missing' | 'fatal';
  /** What was found. */
  readonly found: string;
  /** What its absence costs; null when nothing is missing. */
  readonly cost: string | null;
  /** What to do about it; null when nothing is missing. */
  readonly remedy: string | null;
}

/** One that can't even be tried is reported like any other, and the rest is still looked at. */
export async function runChecks(): Promise<readonly Check[]> {
  const probes: readonly (readonly [string, () => Check | Promise<Check>])[] = [
    ['platform', () => checkPlatform(process.platform, process.arch)],
    ['node', () => checkNode(process.versions.node)],
    ['temporary folder', () => checkTemporaryFolder(tmpdir())],
    ['sqlite', checkSqlite],
    ['process table', checkProcessTable],
    ['strace', checkStrace],
    ['cores', () => checkCores(availableParallelism())],
    ['disk', () => checkDisk(tmpdir())],
  ];
  const checks: Check[] = [];
  for (const [name, probe] of probes) checks.push(await tryProbe(name, probe));
  return checks;
}

export async function tryProbe(name: string, probe: () => Check | Promise<Check>): Promise<Check> {
  try {
    return await probe();
  } catch (error) {
    return missing(name, `could not be found out: ${messageOf(error)}`, {
      cost: 'whatever depends on it may fail',
      remedy: 'mend what the message names and look again',
    });
  }
}

/** Bundles, ledgers and everything else a trial needs is written there. */
export function checkTemporaryFolder(folder: string): Check {
  try {
    const probe = mkdtempSync(join(folder, 'killpoint-doctor-'));
    writeFileSync(join(probe, 'probe'), 'a');
    rmSync(probe, { recursive: true, force: true });
    return fine('temporary folder', `${folder} can be written`);
  } catch (error) {
    return fatal('temporary folder', messageOf(error), {
      cost: 'trials have nowhere to put their ledgers, so nothing can run',
      remedy: 'set TMPDIR to a folder on a local disk that exists and can be written',
    });
  }
}

export function checkPlatform(platform: string, arch: string): Check {
  const found = `${platform} ${arch}`;
  if (platform === 'linux') return fine('platform', found);
  if (platform === 'win32') {
    return fatal('platform', found, {
      cost: 'Windows has no SIGKILL and no process groups, so no kill can be proved',
      remedy: 'run under WSL 2 or in a Linux container',
    });
  }
  return missing('platform', found, {
    cost: 'descendants that leave their process group are found on Linux only',
    remedy: 'run in a Linux container for the full proof',
  });
}

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isSupported = major > 20 || (major === 20 && minor >= 19);
  if (isSupported) return fine('node', version);
  return fatal('node', version, {
    cost: 'Killpoint needs Node 20.19 or newer',
    remedy: 'install a supported Node; 20, 22 and 24 are tested',
  });
}

/** Opened the way a ledger is, since a disk that can't do it would fail every trial. */
async function checkSqlite(): Promise<Check> {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(tmpdir(), 'killpoint-doctor-'));
    const { default: Database } = await import('better-sqlite3');
    const database = new Database(join(folder, 'ledger.sqlite'));
    try {
      const mode = database.pragma('journal_mode = WAL', { simple: true });
      database.pragma('synchronous = FULL');
      database.exec('create table probe (n integer) strict; insert into probe values (1)');
      const synchronous = database.pragma('synchronous', { simple: true });
      const version = database.prepare('select sqlite_version()').pluck().get();
      const found = `${version}, journal_mode ${mode}, synchronous ${synchronous} in ${tmpdir()}`;
      if (mode === 'wal' && synchronous === 2) return fine('sqlite', found);
      return fatal('sqlite', found, {
        cost: 'ledgers need journal_mode wal and synchronous 2 (FULL)',
        remedy: 'set TMPDIR to a folder on a local disk',
      });
    } finally {
      database.close();
    }
  } catch (error) {
    return fatal('sqlite', messageOf(error), {
      cost: 'no ledger can be opened, so no gate can run',
      remedy: `run npm rebuild better-sqlite3, and see that ${tmpdir()} can be written`,
    });
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function checkProcessTable(): Check {
  try {
    const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length;
    readFileSync('/proc/self/stat');
    readFileSync('/proc/self/environ');
    return fine('process table', `/proc shows ${processes} processes`);
  } catch (error) {
    return missing('process table', messageOf(error), {
      cost: 'a descendant that left its process group can survive a kill unseen',
      remedy: 'mount /proc, or run on Linux',
    });
  }
}

/** Present is not enough: containers often forbid tracing. */
async function checkStrace(): Promise<Check> {
  const result = await execa('strace', ['-f', '-o', '/dev/null', 'true'], {
    reject: false,
    timeout: 5_000,
    all: true,
  });
  if (result.exitCode === 0) return fine('strace', 'can trace a child');
  const why = result.all?.split('\n').find((line) => line !== '') ?? result.shortMessage;
  return missing('strace', why ?? 'did not run', {
    cost: 'nothing today; kills at a chosen system call, when they come, will need it',
    remedy: 'install strace and, in a container, allow SYS_PTRACE',
  });
}

export function checkCores(cores: number): Check {
  if (cores >= 2) return fine('cores', String(cores));
  return missing('cores', String(cores), {
    cost: 'trials run one at a time, and the default matrix takes longer than two minutes',
    remedy: 'give the machine or the container two cores',
  });
}

async function checkDisk(folder: string): Promise<Check> {
  const { bavail, bsize } = await statfs(folder);
  const freeMb = Math.floor((bavail * bsize) / 1_000_000);
  const found = `${freeMb} MB free in ${folder}`;
  if (freeMb >= 500) return fine('disk', found);
  return missing('disk', found, {
    cost: 'ledgers and histories of a long run may not fit',
    remedy: 'free some space, or set TMPDIR to a larger local disk',
  });
}

interface Loss {
  readonly cost: string;
  readonly remedy: string;
}

function fine(name: string, found: string): Check {
  return { name, state: 'fine', found, cost: null, remedy: null };
}

function missing(name: string, found: string, loss: Loss): Check {
  return { name, state: 'missing', found, ...loss };
}

function fatal(name: string, found: string, loss: Loss): Check {
  return { name, state: 'fatal', found, ...loss };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
