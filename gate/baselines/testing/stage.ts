/**
 * What a baseline is tried on: the small service of the reference gate's tests, a folder, a lease that
 * can die, and deaths, which are played by a point that never returns.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EffectTarget, JsonObject, TargetDeclaration } from '../../../adapters/target.ts';
import type { AnnouncedPoint, Gate, LeaseState, Proposal } from '../../gate.ts';
import { Service, targetFor } from '../../reference/testing/service.ts';
import type { SubjectContext } from '../../subject.ts';

export class Stage implements Disposable {
  readonly service: Service;
  readonly declaration: TargetDeclaration;
  readonly folder = mkdtempSync(join(tmpdir(), 'baseline-'));
  lease: LeaseState = { kind: 'live', expiresAtMs: null, coversReasons: [] };

  constructor(declaration: TargetDeclaration) {
    this.declaration = declaration;
    this.service = new Service(declaration.dedupe !== null);
  }

  /** A process that dies at the point, or at none. */
  context(diesAt: AnnouncedPoint | null = null): SubjectContext {
    const { declaration } = this;
    const endpoint = { protocol: 'http', host: '127.0.0.1', port: 9 } as const;
    return {
      start: {
        type: 'start',
        protocol: 1,
        ledger: this.folder,
        target: { module: '', export: '', endpoint, credentials: {}, options: {} },
        authority: { url: '' },
        declaration,
        clockOffsetMs: 0,
        armed: [],
      },
      target: withoutStrangeFields(targetFor(this.service, declaration)),
      authority: { check: async () => this.lease },
      now: Date.now,
      at: ({ point }) => {
        if (point === diesAt) throw new Death(point);
      },
    };
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export class Death extends Error {}

/** Submits until the point, and is never heard of again. */
export async function dieAt(gate: Gate, proposal: Proposal): Promise<void> {
  const end = await gate.submit(proposal).then(
    () => 'it lives',
    (thrown: unknown) => thrown,
  );
  if (!(end instanceof Death)) throw new Error(`expected a death, came ${String(end)}`);
  await gate.close();
}

export function proposalOf(request: JsonObject, given: Partial<Proposal> = {}): Proposal {
  return { requestId: 'request-1', request, lease: 'lease-1', premises: [], ...given };
}

/** A service refuses a field it does not know, as most do. */
function withoutStrangeFields(target: EffectTarget): EffectTarget {
  return {
    ...target,
    apply: async (call) => {
      if ('distinct' in call.request) throw new Error('the service was sent "distinct"');
      return await target.apply(call);
    },
  };
}
