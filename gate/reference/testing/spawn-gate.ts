/** Starts gates in processes of their own and kills every one of them when the test is over. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Orders } from './gate-process.ts';

const deadlineMs = 10_000;

/** Bundled once for a test file: Node does not run TypeScript by itself. */
export class GateProcesses implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'gate-process-'));
  readonly #children: GateProcess[] = [];

  static async build(): Promise<GateProcesses> {
    const processes = new GateProcesses();
    await build({
      entryPoints: [fileURLToPath(new URL('./gate-process.ts', import.meta.url))],
      outfile: processes.#script,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      external: ['better-sqlite3'],
      logLevel: 'error',
    });
    return processes;
  }

  start(orders: Orders): GateProcess {
    const child = new GateProcess(this.#script, orders);
    this.#children.push(child);
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) await child.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #script(): string {
    return join(this.#folder, 'gate-process.cjs');
  }
}

export class GateProcess {
  readonly #child: ChildProcess;
  readonly #exit: Promise<void>;
  #output = '';
  readonly #waiters = new Set<() => void>();

  constructor(script: string, orders: Orders) {
    this.#child = spawn(process.execPath, [script, JSON.stringify(orders)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        ...process.env,
        NODE_PATH: fileURLToPath(new URL('../../../node_modules', import.meta.url)),
      },
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#output += chunk.toString('utf8');
      this.#wake();
    });
    this.#exit = new Promise((resolve) => {
      this.#child.on('close', () => {
        resolve();
        this.#wake();
      });
    });
  }

  get output(): string {
    return this.#output;
  }

  /** Resolves with the rest of the line that starts with `start`. */
  async said(start: string): Promise<string> {
    const untilMs = performance.now() + deadlineMs;
    for (;;) {
      const line = this.#output.split('\n').find((candidate) => candidate.startsWith(start));
      if (line !== undefined) return line.slice(start.length).trim();
      if (this.#child.exitCode !== null || performance.now() > untilMs) {
        throw new Error(`expected a line that starts with "${start}", got ${this.#output}`);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, untilMs - performance.now());
        this.#waiters.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  go(): void {
    this.#child.stdin?.write('\n');
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exit;
  }

  async exited(): Promise<void> {
    await this.#exit;
  }

  #wake(): void {
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
  }
}
