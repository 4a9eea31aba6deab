/**
 * The lease of one trial: what the authority says of it, and what the harness is told when it asks for
 * itself, as a gate would.
 */
import type { Examples } from '../../adapters/rail.ts';
import type { JsonObject } from '../../adapters/target.ts';
import type { LeaseCap, LeaseState } from '../../gate/gate.ts';
import { callerFacts } from '../model/caller-table.ts';
import { HarnessError } from '../model/errors.ts';
import type { ObservedEvent } from '../model/history.ts';
import type { TrialSpec } from '../model/trial.ts';
import { leaseLifeMs } from '../model/world-table.ts';
import type { AuthorityServer } from './authority-server.ts';

type Standing = Extract<ObservedEvent, { type: 'world' }>['authority'];

export class TrialLease {
  readonly id: string;
  readonly #authority: AuthorityServer;

  /** `expiresAtMs`: null for a lease without an end. */
  constructor(
    authority: AuthorityServer,
    id: string,
    granted: { readonly expiresAtMs: number | null; readonly caps: readonly LeaseCap[] },
  ) {
    this.#authority = authority;
    this.id = id;
    authority.grant(id, { kind: 'live', coversReasons: [], ...granted });
  }

  revoke(): void {
    this.#authority.grant(this.id, { kind: 'dead', reason: 'revoked' });
  }

  /** Whoever asks for it from now on gets no answer. */
  cutOff(): void {
    this.#authority.grant(this.id, 'unreachable');
  }

  /** Asked over the same socket as any gate's question; `nowMs` is the trial's clock. */
  async standing(nowMs: number): Promise<Standing> {
    let state: LeaseState;
    try {
      const response = await fetch(`${this.#authority.url}/leases/${encodeURIComponent(this.id)}`);
      state = (await response.json()) as LeaseState;
    } catch {
      return 'unreachable';
    }
    if (state.kind === 'dead') return 'dead';
    return state.expiresAtMs !== null && state.expiresAtMs <= nowMs ? 'expired' : 'live';
  }

  forget(): void {
    this.#authority.forget(this.id);
  }
}

export interface Granting {
  readonly spec: TrialSpec;
  readonly lab: { readonly authority: AuthorityServer };
  /** The trial's own in the lab. */
  readonly number: number;
}

/** A lease without an end, but where the cell's world lets it expire or its caller goes over a cap. */
export function grantLease(
  { spec, lab, number }: Granting,
  { request, capped }: Examples,
): TrialLease {
  const expires = spec.cell.world === 'authority-expired';
  return new TrialLease(lab.authority, `lease-${number}-${spec.trial}`, {
    expiresAtMs: expires ? Date.now() + leaseLifeMs : null,
    caps: callerFacts(spec.cell.caller).second === 'racing' ? [capFor(request, capped)] : [],
  });
}

/** Room for one of the trial's requests and not for two. */
function capFor(request: JsonObject, capped: Examples['capped']): LeaseCap {
  const amount = capped === undefined ? undefined : request[capped.field];
  if (capped === undefined || typeof amount !== 'number') {
    throw new HarnessError(
      'rail-cannot',
      'the rail’s examples name no amount that could be capped',
    );
  }
  return { ...capped, limit: Math.floor(amount * 1.5) };
}
