/**
 * A gate on a temporary ledger with everything a test turns: service, clock, authority, points.
 * A killed incarnation is played by `crashAt`: the submit stops for ever at a point, and its lock
 * is given up, which is all that the next incarnation can see of a death.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, TargetDeclaration } from '../../../adapters/target.ts';
import type { AnnouncedPoint, Gate, LeaseState, PointReached, Proposal } from '../../gate.ts';
import type { Engine, Timing } from '../engine.ts';
import { createGate, type GateOptions } from '../gate.ts';
import { identifyRequest } from '../identity.ts';
import { Ledger } from '../ledger.ts';
import { OverdueSends } from '../overdue.ts';
import { IncarnationLock } from '../ownership.ts';
import { Service, targetFor } from './service.ts';

export class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'gate-'));
  readonly service: Service;
  readonly reached: PointReached[] = [];
  readonly declaration: TargetDeclaration;
  nowMs = 1_700_000_000_000;
  lease: LeaseState | 'throws' | 'hangs' = { kind: 'live', expiresAtMs: null, coversReasons: [] };
  onPoint: (reached: PointReached) => void = () => undefined;
  onLeaseCheck: () => void = () => undefined;
  onHead: GateOptions['onHead'] = undefined;
  readonly #gates: Gate[] = [];
  readonly #engines: Engine[] = [];

  constructor(declaration: TargetDeclaration) {
    this.declaration = declaration;
    this.service = new Service(declaration.dedupe !== null);
  }

  open(timing: Partial<Timing> = {}): Gate {
    const gate = createGate({
      target: targetFor(this.service, this.declaration),
      ledger: this.folder,
      authority: {
        check: async () => {
          this.onLeaseCheck();
          if (this.lease === 'throws') throw new Error('no route to the authority');
          if (this.lease === 'hangs') return await new Promise<never>(() => undefined);
          return this.lease;
        },
      },
      now: () => this.nowMs,
      at: (reached) => {
        this.reached.push(reached);
        this.onPoint(reached);
      },
      timing,
      ...(this.onHead && { onHead: this.onHead }),
    });
    this.#gates.push(gate);
    return gate;
  }

  keyOf(request: JsonObject): string {
    return identifyRequest(targetFor(this.service, this.declaration), request).decisionKey;
  }

  /** For a submit that will never end: its gate is left open and dies with the test's process. */
  abandon(pending: Promise<unknown>): void {
    pending.catch(() => undefined);
    this.#gates.splice(0);
  }

  /** The inside of a gate, for steps that no two gates can be brought to take at a time. */
  engine(): Engine {
    const engine: Engine = {
      target: targetFor(this.service, this.declaration),
      ledger: new Ledger(this.folder, () => this.nowMs),
      lock: new IncarnationLock(this.folder),
      authority: { check: async () => ({ kind: 'live', expiresAtMs: null, coversReasons: [] }) },
      now: () => this.nowMs,
      at: null,
      timing: { pollMs: 1, joinWaitMs: 0, authorityTimeoutMs: 1_000 },
      overdue: new OverdueSends(),
    };
    this.#engines.push(engine);
    return engine;
  }

  points(): readonly AnnouncedPoint[] {
    return this.reached.map((reached) => reached.point);
  }

  /** The first incarnation: submits, and ends for good at `point`. */
  async crashAt(
    point: AnnouncedPoint,
    request: JsonObject = refund(20),
    given: Partial<Proposal> = {},
  ): Promise<void> {
    const gate = this.open();
    await this.#endAt(point, () => gate.submit(proposalOf(request, given)));
    await gate.close();
  }

  async crashRecoveryAt(gate: Gate, point: AnnouncedPoint): Promise<void> {
    await this.#endAt(point, () => gate.recover());
    await gate.close();
  }

  /** Does the work, and ends for good at `point` if it is reached. */
  async mayEndAt(point: AnnouncedPoint | null, work: () => Promise<unknown>): Promise<boolean> {
    const before = this.onPoint;
    let ended = false;
    this.onPoint = (reached) => {
      // The dead announce nothing more, and do nothing more.
      if (!ended && reached.point !== point) return;
      ended = true;
      throw new Crash(`ended at ${String(point)}`);
    };
    await work().catch((thrown: unknown) => {
      const causes = thrown instanceof AggregateError ? thrown.errors : [thrown];
      if (!causes.every((cause) => cause instanceof Crash)) throw thrown;
    });
    this.onPoint = before;
    return ended;
  }

  /** A test of a point that is never reached would test nothing. */
  async #endAt(point: AnnouncedPoint, work: () => Promise<unknown>): Promise<void> {
    if (!(await this.mayEndAt(point, work))) throw new Error(`${point} was never reached`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const gate of this.#gates) await gate.close();
    for (const { ledger, lock } of this.#engines) {
      ledger.close();
      lock.release();
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

class Crash extends Error {}

export function refund(amountMinor: number): JsonObject {
  return { order: 'order-1', amountMinor };
}

export function proposalOf(request: JsonObject, given: Partial<Proposal> = {}): Proposal {
  return { requestId: 'request-1', request, lease: 'lease-1', premises: [], ...given };
}
