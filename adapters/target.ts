/**
 * The contract between a gate and one service.
 *
 * In: an already decided request and a key. Out: what the service provably did, in three classes
 * (landed, refused, unknown), never two. A target keeps no state of its own, retries nothing, and
 * never turns a missing or broken answer into a definite one.
 */

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** Where a service is reached. `caPem` is set when the certificate is not signed by a public authority. */
export interface Endpoint {
  readonly protocol: 'http' | 'https' | 'postgres' | 'smtp' | 'smtps' | 'tcp';
  readonly host: string;
  readonly port: number;
  readonly caPem?: string;
}

/** What a service can do for a caller that has lost its memory. Each fact stands on its own. */
export interface TargetDeclaration {
  /** A repeated key has no second effect for this long after the first durable attempt; null: keys mean nothing. */
  readonly dedupe: null | { readonly windowMs: number | 'forever' };
  /** The service permits the effect once by its own state (a merge, a capture). */
  readonly onceByState: boolean;
  /**
   * Every request carries what was reviewed, and the service refuses it once that has changed (a merge at
   * a reviewed head); once it has taken effect, nobody can change that any more. Other facts a decision
   * relied on, such as the branch it goes to, may be guarded by nobody but who reads them again.
   */
  readonly guardsPremises: boolean;
  /** An effect can be found by our stamp, at most `lagMs` after it landed; null: it cannot be asked. */
  readonly lookup: null | { readonly lagMs: number; readonly seesDeletions: boolean };
  /**
   * What makes "absent" final: a fence that recovery plants and that stops an orphaned request, a
   * bound on how long a received request can still land, or nothing.
   */
  readonly absence: 'fence' | { readonly landingBoundMs: number } | 'never';
  /** True when a failure stored under a key proves that nothing took effect. */
  readonly storedErrorFinal: boolean;
  /** True when `apply` calls `markNoReturn` before the last byte that can take effect. */
  readonly noReturnMark: boolean;
  /** The kinds of premises `capture` reads; empty where a decision can rely on nothing that is checked. */
  readonly premises: readonly Premise['kind'][];
  /** How long `apply` and `query` wait for the service before they answer unknown. */
  readonly clientTimeoutMs: number;
}

/** What makes two requests the same decision. `keyFields` holds substance only where the operation says so. */
export interface EffectIdentity {
  readonly target: string;
  readonly account: string;
  readonly operation: string;
  readonly subject: string;
  readonly keyFields: JsonObject;
}

/** A fact a decision relied on, captured when it was made. */
export interface Premise {
  readonly kind: 'value-equals' | 'version-unchanged';
  readonly fact: string;
  readonly value: JsonValue;
}

export type PremiseCheck =
  | { readonly kind: 'hold' }
  | {
      readonly kind: 'stale';
      readonly fact: string;
      readonly expected: JsonValue;
      readonly found: JsonValue;
    }
  | { readonly kind: 'could-not-tell'; readonly detail: string };

/** One send. `key` is the stored rail key; it is also the stamp the effect must carry. */
export interface EffectCall {
  readonly key: string;
  readonly request: JsonObject;
  /** Strictly rising per intent, from 1. */
  readonly attempt: number;
  /** Called, when the declaration has `noReturnMark`, before the last byte; must be durable on return. */
  readonly markNoReturn?: () => void;
}

export type UnknownCause =
  /** The connection failed, closed or was reset: nothing says how far the request got. */
  | 'connection'
  /** No whole answer within `clientTimeoutMs`. */
  | 'timeout'
  /** The service said 5xx, or anything else that proves nothing. */
  | 'server-error'
  /** The service is still working on an earlier request under this key. */
  | 'in-flight'
  /** The service replayed a failure it stored under this key. */
  | 'stored-error'
  /** An answer came and could not be read. */
  | 'unreadable';

export type ApplyResult =
  /** `stamp` is what the answer carries, null when it carries none; the gate compares it, not the target. */
  | { readonly kind: 'landed'; readonly entityId: string; readonly stamp: string | null }
  /** Provably no effect from this attempt. `mendable`: a person can lift it (401, 403, 429). */
  | { readonly kind: 'refused'; readonly reason: string; readonly mendable: boolean }
  | { readonly kind: 'unknown'; readonly cause: UnknownCause; readonly detail: string };

export type QueryResult =
  | { readonly kind: 'found'; readonly entityId: string }
  /** Every page was read to the last and none carried the stamp. */
  | { readonly kind: 'absent'; readonly complete: true }
  | { readonly kind: 'many'; readonly entityIds: readonly string[] }
  | { readonly kind: 'could-not-tell'; readonly detail: string };

export type FenceResult =
  /** The fence stands: no attempt sent before it can land any more. */
  | { readonly kind: 'planted' }
  /** An attempt was there first. */
  | { readonly kind: 'found'; readonly entityId: string }
  | { readonly kind: 'could-not-tell'; readonly detail: string };

export interface EffectTarget {
  readonly name: string;
  readonly declaration: TargetDeclaration;
  /** Names the decision a request belongs to. Throws InvalidRequestError for a request it can't carry out. */
  identify(request: JsonObject): EffectIdentity;
  /** Reads the facts a decision about this request relies on. */
  capture(request: JsonObject): Promise<readonly Premise[]>;
  /** Reads them again. Effects stamped with `ownKey` count as no change. */
  validate(
    request: JsonObject,
    premises: readonly Premise[],
    ownKey: string,
  ): Promise<PremiseCheck>;
  /** Sends once. Never rejects for anything the service or the network did. */
  apply(call: EffectCall): Promise<ApplyResult>;
  /** Present exactly when `declaration.lookup` is. Looks by stamp only, to the last page. */
  query?(call: { readonly key: string; readonly request: JsonObject }): Promise<QueryResult>;
  /** Present exactly when `declaration.absence` is 'fence'. */
  fence?(call: { readonly key: string; readonly request: JsonObject }): Promise<FenceResult>;
  /** Closes what the target holds open. */
  close?(): Promise<void>;
}

export interface TargetConfig {
  readonly endpoint: Endpoint;
  readonly credentials: JsonObject;
  readonly options: JsonObject;
  /** Epoch milliseconds; the only clock a target reads. */
  readonly now: () => number;
}

/** What a target module exports under the name it is loaded by. Throws when the options contradict themselves. */
export type CreateTarget = (config: TargetConfig) => EffectTarget;

/** A request that can never be carried out, found before anything was recorded or sent. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';
}
