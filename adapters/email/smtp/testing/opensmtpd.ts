/**
 * Debian's opensmtpd, delivering to a Maildir: a server that nobody here has written. In: nothing. Out: a
 * running one on a loopback port, and what lies in its mailboxes.
 *
 * It starts as root and keeps its queue and its socket in fixed places, so it gets places of its own in a
 * mount namespace that ends with it. A server the machine may run besides is not touched.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint } from '../../../target.ts';

const binary = '/usr/sbin/smtpd';
/** Longer than any test: it ends even where nobody is left to end it. */
const longestLifeSeconds = 120;
const patienceMs = 10_000;

/** Whom it delivers as, and the one domain it takes mail for. */
const user = 'nobody';
const localDomain = 'mail.example';

/** Why it can't be run here; null: it can. */
export function whyNoOpensmtpd(): string | null {
  const { stderr, error } = spawnSync(binary, ['-h'], { encoding: 'utf8', timeout: patienceMs });
  if (error !== undefined || !stderr.includes('OpenSMTPD')) {
    return 'opensmtpd is not installed here';
  }
  if (process.getuid?.() !== 0) return 'opensmtpd starts as root alone';
  const { status } = spawnSync('unshare', ['--mount', 'true'], { timeout: patienceMs });
  return status === 0 ? null : 'no mounts of its own can be made for opensmtpd here';
}

export interface Opensmtpd {
  readonly endpoint: Endpoint;
  /** Waits until so many mails lie there; more are shown too. */
  mails(atLeast: number): Promise<readonly Buffer[]>;
  close(): Promise<void>;
}

export async function openOpensmtpd(): Promise<Opensmtpd> {
  const folder = await mkdtemp(join(tmpdir(), 'killpoint-opensmtpd-'));
  const maildir = join(folder, 'mail');
  const port = await freePort();
  // The user it delivers as has to get there.
  await chmod(folder, 0o755);
  await mkdir(maildir);
  await chown(maildir, idOf('-u'), idOf('-g'));
  const configuration = join(folder, 'smtpd.conf');
  await writeFile(configuration, configurationOf(port, maildir));
  const server = start(configuration);
  const close = async () => {
    await end(server.child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await untilGreeted(port, server);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    endpoint: { protocol: 'smtp', host: '127.0.0.1', port },
    mails: (atLeast) => readMails(join(maildir, 'new'), atLeast),
    close,
  };
}

function configurationOf(port: number, maildir: string): string {
  return `table mailboxes { "@${localDomain}" = "${user}" }
listen on 127.0.0.1 port ${port} hostname mx.${localDomain}
action "store" maildir "${maildir}" virtual <mailboxes>
match from any for domain "${localDomain}" action "store"
`;
}

interface Started {
  readonly child: ChildProcess;
  /** What it has said so far. */
  words(): string;
}

function start(configuration: string): Started {
  const script = `mount -t tmpfs none /var/spool && mount -t tmpfs none /run && exec timeout ${longestLifeSeconds} ${binary} -d -f "$0"`;
  const child = spawn('unshare', ['--mount', 'sh', '-c', script, configuration], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let words = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString('utf8')).slice(-2_000);
  });
  return { child, words: () => words };
}

/** It is several processes, which it ends and waits for itself when it is asked to. */
async function end(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  const late = setTimeout(() => process.kill(-pid, 'SIGKILL'), patienceMs);
  process.kill(pid, 'SIGTERM');
  await ended;
  clearTimeout(late);
}

async function untilGreeted(port: number, { child, words }: Started): Promise<void> {
  const giveUpAtMs = Date.now() + patienceMs;
  while (Date.now() < giveUpAtMs && child.exitCode === null) {
    if (await isGreeted(port)) return;
    await sleep(50);
  }
  throw new Error(`expected a greeting of opensmtpd within ${patienceMs} ms; it said: ${words()}`);
}

function isGreeted(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answer = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.setTimeout(1_000, () => answer(false));
    socket.once('error', () => answer(false));
    socket.once('data', (chunk) => answer(chunk.toString('latin1').startsWith('220 ')));
  });
}

async function readMails(folder: string, atLeast: number): Promise<readonly Buffer[]> {
  const giveUpAtMs = Date.now() + patienceMs;
  for (;;) {
    const names = await readdir(folder).catch((): string[] => []);
    if (names.length >= atLeast) {
      return Promise.all(names.sort().map((name) => readFile(join(folder, name))));
    }
    if (Date.now() >= giveUpAtMs) {
      throw new Error(
        `expected ${atLeast} mails within ${patienceMs} ms; there are ${names.length}`,
      );
    }
    await sleep(50);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function idOf(which: '-u' | '-g'): number {
  return Number(execFileSync('id', [which, user], { encoding: 'utf8' }));
}
