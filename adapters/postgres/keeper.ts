/**
 * The process between a rail and its server. It makes the data directory, starts the server, and ends
 * and removes both when its standard input closes, which happens whatever way the rail's own process
 * ends. In: a line of JSON (KeeperOrder). Out: a line of JSON (KeeperReport).
 *
 * A bundled rail is one file with nothing beside it, so the keeper is a function that is handed to
 * `node -e` as text: it must use nothing from outside itself but globals and types.
 */

export interface KeeperOrder {
  readonly initdb: string;
  readonly postgres: string;
  /** Where the data directory is made. */
  readonly parentFolder: string;
  readonly initdbArguments: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
  readonly user: string;
  readonly password: string;
  /** Whom the server runs as; null: as the keeper does. */
  readonly runAs: { readonly uid: number; readonly gid: number } | null;
}

export type KeeperReport =
  | {
      readonly kind: 'ready';
      readonly port: number;
      readonly folder: string;
      readonly initdbMs: number;
      readonly startMs: number;
    }
  | {
      readonly kind: 'failed';
      readonly why: string;
      /** Null when none was made; it is removed with the keeper. */
      readonly folder: string | null;
    };

/** The program for `node -e`. */
export function keeperProgram(): string {
  return `(${keepServer.toString()})();`;
}

function keepServer(): void {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } =
    process.getBuiltinModule('node:fs');
  const { createServer } = process.getBuiltinModule('node:net');
  const { join } = process.getBuiltinModule('node:path');
  type Child = ReturnType<typeof spawn>;

  const mostPortTries = 20;
  const mostWordsKept = 4000;
  /** How long a server may take to end at once before it is killed. */
  const patienceMs = 5_000;
  let folder: string | null = null;
  let running: { readonly child: Child; readonly endBy: 'SIGQUIT' | 'SIGKILL' } | null = null;
  let isEnding = false;

  const report = (line: KeeperReport) => process.stdout.write(`${JSON.stringify(line)}\n`);
  const removeFolder = () => {
    if (folder !== null) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  const end = (code: number) => {
    if (isEnding) return;
    isEnding = true;
    const finish = () => {
      removeFolder();
      process.exit(code);
    };
    if (running === null) return finish();
    const { child, endBy } = running;
    // The group holds what initdb has started; the server's own children end with it.
    const signal = (name: 'SIGQUIT' | 'SIGKILL') => {
      try {
        if (child.pid !== undefined)
          process.kill(name === 'SIGKILL' ? -child.pid : child.pid, name);
      } catch {
        // It has ended, which is what was wanted.
      }
    };
    child.once('close', finish);
    signal(endBy);
    setTimeout(() => signal('SIGKILL'), patienceMs);
    setTimeout(finish, 2 * patienceMs);
  };

  const start = (order: KeeperOrder, file: string, given: readonly string[]) =>
    spawn(file, [...given], {
      ...order.runAs,
      cwd: '/',
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { LC_ALL: 'C', TZ: 'UTC' },
    });
  const freePort = () =>
    new Promise<number>((resolve, reject) => {
      const probe = createServer();
      probe.once('error', reject);
      probe.listen(0, '127.0.0.1', () => {
        const address = probe.address();
        const port = typeof address === 'object' && address !== null ? address.port : 0;
        probe.close(() => resolve(port));
      });
    });
  /** Resolves when `isReady` sees its words in what the child says, or when the child has ended. */
  const watch = (child: Child, isReady: (said: string) => boolean) =>
    new Promise<{ readonly isReady: boolean; readonly said: string }>((resolve) => {
      let said = '';
      child.once('error', ({ message }) => resolve({ isReady: false, said: message }));
      child.once('close', (code) => resolve({ isReady: code === 0, said }));
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-mostWordsKept);
        if (isReady(said)) resolve({ isReady: true, said });
      });
    });

  const initialize = async (order: KeeperOrder, data: string) => {
    const passwordFile = join(data, '..', 'password');
    writeFileSync(passwordFile, order.password, { mode: 0o600 });
    if (order.runAs !== null) chownSync(passwordFile, order.runAs.uid, order.runAs.gid);
    const child = start(order, order.initdb, [
      ...['-D', data, '-U', order.user, `--pwfile=${passwordFile}`],
      ...order.initdbArguments,
    ]);
    running = { child, endBy: 'SIGKILL' };
    const { isReady, said } = await watch(child, () => false);
    running = null;
    rmSync(passwordFile, { force: true });
    if (!isReady) throw new Error(`initdb failed: ${said}`);
  };
  const serve = async (order: KeeperOrder, data: string): Promise<number> => {
    for (let tries = 0; tries < mostPortTries; tries += 1) {
      // Postgres takes no port 0, and another program can take a free one first: then the next is tried.
      const port = await freePort();
      const settings = Object.entries(order.settings).flatMap(([name, value]) => [
        '-c',
        `${name}=${value}`,
      ]);
      const child = start(order, order.postgres, ['-D', data, '-p', String(port), ...settings]);
      running = { child, endBy: 'SIGQUIT' };
      const { isReady, said } = await watch(child, (words) =>
        words.includes('ready to accept connections'),
      );
      if (isReady && child.exitCode === null) {
        child.once('close', () => end(1));
        return port;
      }
      running = null;
      if (!said.includes('could not bind')) throw new Error(`postgres failed: ${said}`);
    }
    throw new Error(`postgres found no free port in ${mostPortTries} tries`);
  };
  const keep = async (order: KeeperOrder) => {
    folder = mkdtempSync(join(order.parentFolder, 'killpoint-postgres-'));
    const data = join(folder, 'data');
    mkdirSync(data, { mode: 0o700 });
    if (order.runAs !== null) {
      for (const path of [folder, data]) chownSync(path, order.runAs.uid, order.runAs.gid);
    }
    const beganMs = performance.now();
    await initialize(order, data);
    const initializedMs = performance.now();
    if (isEnding) return;
    const port = await serve(order, data);
    const initdbMs = Math.round(initializedMs - beganMs);
    const startMs = Math.round(performance.now() - initializedMs);
    report({ kind: 'ready', port, folder, initdbMs, startMs });
  };

  let received = '';
  let isOrdered = false;
  process.stdin.setEncoding('utf8').on('data', (text: string) => {
    received += text;
    if (isOrdered || !received.includes('\n')) return;
    isOrdered = true;
    keep(JSON.parse(received) as KeeperOrder).catch((error: unknown) => {
      if (!isEnding) report({ kind: 'failed', why: String(error), folder });
      end(1);
    });
  });
  process.stdin.on('close', () => end(0));
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => end(0));
  // Whoever read the report may be gone.
  process.stdout.on('error', () => end(1));
}
