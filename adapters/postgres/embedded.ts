/**
 * A real server of our own for as long as it is needed. In: nothing. Out: where it is reached, as an
 * administrator, and how it is ended. The keeper ends it too when this process is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { AdminAddress } from './admin.ts';
import { findBinaries } from './binaries.ts';
import { type KeeperOrder, type KeeperReport, keeperProgram } from './keeper.ts';

export interface EmbeddedServer {
  readonly address: AdminAddress;
  /** Holds the data, and is removed with the server. */
  readonly folder: string;
  readonly keeperPid: number;
  readonly initdbMs: number;
  readonly startMs: number;
  close(): Promise<void>;
}

const admin = 'killpoint';

/** Resolves when the server accepts connections. `settings` are added to ours. */
export async function startEmbeddedServer(
  settings: Readonly<Record<string, string>> = {},
): Promise<EmbeddedServer> {
  const password = randomBytes(18).toString('hex');
  const order: KeeperOrder = {
    ...findBinaries(),
    parentFolder: chooseFolder(),
    initdbArguments,
    settings: { ...ourSettings, ...settings },
    user: admin,
    password,
    runAs: process.getuid?.() === 0 ? nobody : null,
  };
  // In a session of its own, a signal meant for this program's group does not reach it.
  const keeper = spawn(process.execPath, ['-e', keeperProgram()], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {},
  });
  // A keeper that is gone closes its end first; the report, or its exit, says what happened.
  keeper.stdin.on('error', () => undefined);
  keeper.stdin.write(`${JSON.stringify(order)}\n`);
  const report = await readReport(keeper);
  if (report.kind === 'failed') {
    await endKeeper(keeper);
    throw new Error(
      `Postgres rail: expected a server to start, came: ${report.why}. ${whatToDo(order)}`,
      { cause: report },
    );
  }
  const { folder, initdbMs, startMs, port } = report;
  return {
    address: { host: '127.0.0.1', port, user: admin, password, database: 'postgres' },
    folder,
    keeperPid: keeper.pid ?? 0,
    initdbMs,
    startMs,
    close: () => endKeeper(keeper),
  };
}

/** Postgres refuses to run as root. */
const nobody = { uid: 65534, gid: 65534 };

const initdbArguments = [
  '--no-sync',
  '--no-instructions',
  '--no-locale',
  '--encoding=UTF8',
  '--auth=scram-sha-256',
  '--no-data-checksums',
  // Less to write at the start, and old files are used again sooner.
  '--wal-segsize=1',
];

const ourSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  // In the data directory, so that it is gone with it.
  dynamic_shared_memory_type: 'mmap',
  shared_buffers: '32MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '64MB',
  autovacuum: 'off',
  // A namespace lives for a second and its passwords are random; each login would cost 4,096 rounds.
  scram_iterations: '64',
  // What the keeper waits for is of this level; errors of statements, and hence their texts, are not.
  log_min_messages: 'log',
};

/** A database is 300 files. Making and dropping them in memory costs a tenth (measured on ext4). */
const memoryFolder = '/dev/shm';
const tmpfsMagic = 0x01021994;
const leastMemoryBytes = 1024 ** 3;

function chooseFolder(): string {
  try {
    const { type, bsize, bavail } = statfsSync(memoryFolder);
    if (type === tmpfsMagic && bsize * bavail >= leastMemoryBytes) return memoryFolder;
  } catch {
    // Not every system has it.
  }
  return tmpdir();
}

function whatToDo({ postgres, runAs }: KeeperOrder): string {
  return runAs === null
    ? `Run ${postgres} by hand to see why, or name a server of your own in KILLPOINT_DATABASE_URL.`
    : `As root the server is run by user ${runAs.uid}, who must be able to execute ${postgres}. Mend that, or name a server of your own in KILLPOINT_DATABASE_URL.`;
}

async function readReport(keeper: ChildProcess): Promise<KeeperReport> {
  const ended = once(keeper, 'close');
  let text = '';
  keeper.stdout?.setEncoding('utf8');
  const line = new Promise<KeeperReport>((resolve) => {
    keeper.stdout?.on('data', (chunk: string) => {
      text += chunk;
      if (text.endsWith('\n')) resolve(JSON.parse(text) as KeeperReport);
    });
  });
  return Promise.race([
    line,
    ended.then(
      (): KeeperReport => ({
        kind: 'failed',
        why: 'the keeper ended without a word',
        folder: null,
      }),
    ),
  ]);
}

async function endKeeper(keeper: ChildProcess): Promise<void> {
  if (keeper.exitCode !== null || keeper.signalCode !== null) return;
  const ended = once(keeper, 'exit');
  keeper.stdin?.end();
  await ended;
}
