/** Servers that are not to be trusted with an effect, each of them a real one: nothing is written there. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../target.ts';
import { type AdminAddress, AdminConnection } from './admin.ts';
import { findBinaries } from './binaries.ts';
import { type EmbeddedServer, startEmbeddedServer } from './embedded.ts';
import { schemaSql } from './schema.ts';
import { openFencedTarget, openTarget, variants } from './testing/database.ts';

const request: JsonObject = {
  operation: 'credit',
  account: 'acc_1',
  reference: 'ref_1',
  amountMinor: 2000,
  currency: 'eur',
};

async function startServer(settings: Readonly<Record<string, string>>) {
  const server = await startEmbeddedServer(settings);
  onTestFinished(() => server.close());
  const admin = new AdminConnection(server.address);
  onTestFinished(() => admin.close());
  await admin.run(`${schemaSql} INSERT INTO accounts (account) VALUES ('acc_1')`);
  return { server, admin };
}

function reach({ host, port, user, password, database }: AdminAddress) {
  return {
    endpoint: { protocol: 'postgres', host, port } as const,
    credentials: { user, password, database },
  };
}

/** A copy of the server's data that follows nobody: a standby, which answers reads. */
async function startStandby(primary: EmbeddedServer, admin: AdminConnection): Promise<number> {
  const data = join(primary.folder, 'standby');
  mkdirSync(data, { mode: 0o700 });
  await admin.query("SELECT pg_backup_start('copy', true)");
  cpSync(join(primary.folder, 'data'), data, { recursive: true });
  const [backup] = await admin.query<{ labelfile: string }>(
    'SELECT labelfile FROM pg_backup_stop(false)',
  );
  cpSync(join(primary.folder, 'data/pg_wal'), join(data, 'pg_wal'), {
    recursive: true,
    force: true,
  });
  rmSync(join(data, 'postmaster.pid'));
  writeFileSync(join(data, 'backup_label'), backup?.labelfile ?? '');
  writeFileSync(join(data, 'standby.signal'), '');
  const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  if (nobody.uid !== undefined) giveAway(data);
  const port = await findPort();
  const child = spawn(
    findBinaries().postgres,
    [...['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1'], ...noSocket],
    { ...nobody, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'], env: { LC_ALL: 'C' } },
  );
  onTestFinished(() => end(child));
  await untilSaid(child, 'ready to accept read-only connections');
  return port;
}

const noSocket = ['-c', 'unix_socket_directories=', '-c', 'max_connections=200'];

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGQUIT');
  await ended;
}

function untilSaid(child: ChildProcess, words: string): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(said)));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes(words)) resolve();
    });
  });
}

function giveAway(folder: string): void {
  const { readdirSync } = process.getBuiltinModule('node:fs');
  chownSync(folder, 65534, 65534);
  for (const path of readdirSync(folder, { recursive: true })) {
    chownSync(join(folder, String(path)), 65534, 65534);
  }
}

function findPort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

describe('a server', () => {
  test('that does not sync is refused before anything is written', async () => {
    const { server, admin } = await startServer({ fsync: 'off' });
    for (const variant of variants) {
      const target = openTarget(reach(server.address), variant);
      expect(await target.apply({ key: 'k', request, attempt: 1 })).toMatchObject({
        kind: 'refused',
        mendable: true,
        reason: expect.stringMatching(/fsync = on, found off/),
      });
    }
    const fenced = openFencedTarget(reach(server.address));
    expect(await fenced.fence({ key: 'k', request })).toMatchObject({
      kind: 'could-not-tell',
      detail: expect.stringMatching(/fsync/),
    });
    expect(await admin.query('SELECT FROM credits UNION ALL SELECT FROM effects')).toEqual([]);
  });

  test('that is a standby takes no effect, and what it misses is not absent', async () => {
    const { server, admin } = await startServer({ wal_level: 'replica', max_wal_senders: '2' });
    const port = await startStandby(server, admin);
    const standby = reach({ ...server.address, port });
    for (const variant of variants) {
      const target = openTarget(standby, variant);
      expect(await target.apply({ key: 'k', request, attempt: 1 })).toMatchObject({
        kind: 'refused',
        mendable: true,
        reason: expect.stringMatching(/in_hot_standby = off, found on/),
      });
      expect(await target.query({ key: 'k', request })).toMatchObject({
        kind: 'could-not-tell',
        detail: expect.stringMatching(/primary/),
      });
      await expect(target.capture(request)).rejects.toThrow(/primary/);
    }
    const fenced = openFencedTarget(standby);
    expect(await fenced.fence({ key: 'k', request })).toMatchObject({ kind: 'could-not-tell' });
  });
});
