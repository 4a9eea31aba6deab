/**
 * What a gate is: code that performs effects once and can say, after any crash, what became of them.
 * Types only, so that a gate written against them carries none of the harness.
 */
import type { JsonObject, Premise } from '../adapters/target.ts';

/** The instants a gate can announce. What is durable on each side stands with their glosses in the harness. */
export type AnnouncedPoint =
  | 'before_wal'
  | 'after_wal_before_call'
  | 'after_call_before_commit'
  | 'after_commit_before_ack'
  | 'recovery:owned'
  | 'recovery:before-lookup'
  | 'recovery:after-lookup'
  | 'recovery:before-resend'
  | 'recovery:before-settle';

export interface PointReached {
  readonly point: AnnouncedPoint;
  /** The request id under which the intent was first recorded. */
  readonly intent: string;
  /** The number of the attempt at hand; 0 before the first. */
  readonly attempt: number;
}

/** Called synchronously, never inside a ledger transaction; it may not return for as long as it likes. */
export type AtPoint = (reached: PointReached) => void;

export type OutcomeKind = 'happened' | 'absent' | 'refused' | 'unknown';

/** `working`: somebody alive is on it. `surfaced`: it waits for a person. */
export type Disposition = 'settled' | 'working' | 'surfaced';

/** The four facts of an effect. `executed` is unknown when it is. */
export interface ReceiptFacts {
  readonly proposed: boolean;
  readonly authorized: boolean;
  readonly executed: 'yes' | 'no' | 'unknown';
  readonly recorded: boolean;
}

export interface Receipt {
  readonly decisionKey: string;
  readonly payloadHash: string;
  readonly state: string;
  readonly entityId: string | null;
  readonly facts: ReceiptFacts;
  /** Sequence number and hash of the chain entry this receipt speaks for. */
  readonly chainSeq: number;
  readonly chainHash: string;
}

/** What a gate says of an intent. */
export interface Outcome {
  readonly outcome: OutcomeKind;
  readonly disposition: Disposition;
  /** True when no later look or submit can change it. */
  readonly final: boolean;
  /** The gate's own name for the state; null when it has no record of the intent. */
  readonly state: string | null;
  /** The service's id of the effect, where one is known. */
  readonly entityId: string | null;
  /** Attempts recorded so far. */
  readonly attempts: number;
  /** What the outcome rests on, in words. */
  readonly evidence: string;
  readonly receipt: Receipt | null;
}

export interface Proposal {
  /** The caller's name for this request; never part of the identity. */
  readonly requestId: string;
  readonly request: JsonObject;
  /** The authority under which it was decided. */
  readonly lease: string;
  readonly premises: readonly Premise[];
}

/** A person's word on an intent that was surfaced or held. */
export interface Resolution {
  readonly decision: 'happened' | 'absent' | 'approve' | 'reject';
  readonly by: string;
  readonly reason: string;
  readonly entityId?: string;
}

/**
 * The most that may be spent under a lease: the sum of `field`, an integer, over the requests of every
 * effect that has happened or may have. A request that does not agree with `within` is not covered.
 */
export interface LeaseCap {
  readonly field: string;
  readonly limit: number;
  /** Fields a request must have with exactly these values, such as its currency. */
  readonly within: JsonObject;
}

export type LeaseState =
  /** `coversReasons`: the stated reasons under which it lets a second, equal effect happen. */
  | {
      readonly kind: 'live';
      readonly expiresAtMs: number | null;
      readonly coversReasons: readonly string[];
      /** Absent: nothing limits it. */
      readonly caps?: readonly LeaseCap[];
    }
  | { readonly kind: 'dead'; readonly reason: string };

/** Who says whether a lease still stands. One that can't be reached must answer `dead`. */
export interface Authority {
  check(lease: string): Promise<LeaseState>;
}

export interface Gate {
  /** Performs the effect of a decision once, or joins the one that is under way. */
  submit(proposal: Proposal): Promise<Outcome>;
  /** Settles what earlier incarnations left behind; submits wait until it is done. */
  recover(): Promise<void>;
  /** Answers from the ledger; sends nothing. `request` need only hold the identity fields. */
  ask(request: JsonObject): Promise<Outcome>;
  resolve(request: JsonObject, resolution: Resolution): Promise<Outcome>;
  close(): Promise<void>;
}
