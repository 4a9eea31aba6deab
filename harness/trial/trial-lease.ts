/**
 * The lease of one trial: what the authority says of it, and what the harness is told when it asks for
 * itself, as a gate would.
 */
import type { LeaseCap, LeaseState } from '../../gate/gate.ts';
import type { ObservedEvent } from '../model/history.ts';
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
