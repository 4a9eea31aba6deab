/** A ledger folder and a service that gates in this process and in others reach at the same time. */
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TargetDeclaration } from '../../../adapters/target.ts';
import type { Gate, LeaseState } from '../../gate.ts';
import { createGate } from '../gate.ts';
import { refund } from './bench.ts';
import type { Orders } from './gate-process.ts';
import { Service, targetFor } from './service.ts';
import type { GateProcess, GateProcesses } from './spawn-gate.ts';

export class Shared implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'gate-shared-'));
  readonly service: Service;
  /** What the authority answers whoever is opened or started next. */
  lease: LeaseState = { kind: 'live', expiresAtMs: null, coversReasons: [] };
  readonly #declaration: TargetDeclaration;
  readonly #url: string;
  readonly #server: Server;
  readonly #processes: GateProcesses;
  readonly #gates: Gate[] = [];
  readonly #children: GateProcess[] = [];

  static async open(processes: GateProcesses, declaration: TargetDeclaration): Promise<Shared> {
    const service = new Service(declaration.dedupe !== null);
    const { url, server } = await service.listen();
    return new Shared(processes, declaration, service, { url, server });
  }

  private constructor(
    processes: GateProcesses,
    declaration: TargetDeclaration,
    service: Service,
    { url, server }: Awaited<ReturnType<Service['listen']>>,
  ) {
    this.#processes = processes;
    this.#declaration = { ...declaration, clientTimeoutMs: 1_000 };
    this.service = service;
    this.#url = url;
    this.#server = server;
  }

  start(orders: Partial<Orders>): GateProcess {
    const child = this.#processes.start({
      folder: this.folder,
      url: this.#url,
      declaration: this.#declaration,
      request: refund(20),
      stopAt: '',
      work: 'submit',
      lease: this.lease,
      ...orders,
    });
    this.#children.push(child);
    return child;
  }

  gate(timing: { joinWaitMs?: number } = {}): Gate {
    const gate = createGate({
      target: targetFor(this.service, this.#declaration),
      ledger: this.folder,
      authority: { check: async () => this.lease },
      now: Date.now,
      timing,
    });
    this.#gates.push(gate);
    return gate;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) await child.kill();
    for (const gate of this.#gates) await gate.close();
    this.#server.closeAllConnections();
    this.#server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
