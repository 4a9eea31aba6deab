/**
 * What the service behind a target offers a trial: a namespace nothing leaks out of, and the
 * service's own record of what took effect there, which is the only evidence of what happened.
 *
 * The least that is a rail is `endpoint`, `credentials`, `effects()` and `examples()`: a development
 * server or a vendor's sandbox will do.
 */
import type { Endpoint, JsonObject } from './target.ts';

/** One entry of the rail's journal. What was undone later took effect all the same, and stays in it. */
export interface JournalEffect {
  readonly entityId: string;
  /** The marker the effect carries, null when it carries none. */
  readonly stamp: string | null;
  /** Whose credential made it. */
  readonly actor: 'subject' | 'person';
  /** What it was done to, e.g. the payment that was refunded. */
  readonly subject: string;
  /** What took effect, in the request's own field names and integers in minor units. */
  readonly substance: JsonObject;
  /** Epoch milliseconds by the rail's clock. */
  readonly atMs: number;
}

/** What Killpoint will ask for in one trial. All four name things that exist in the namespace. */
export interface Examples {
  readonly request: JsonObject;
  /** The same decision with another substance: 30 instead of 20. */
  readonly changed: JsonObject;
  /** A second legitimate decision of the same substance. */
  readonly distinct: JsonObject;
  /** An effect somebody else makes that only a stamp can tell from ours. */
  readonly lookAlike: JsonObject;
  /** The integer field of `request` that a cap can be put on, and the fields it counts within; absent: none. */
  readonly capped?: { readonly field: string; readonly within: JsonObject };
}

/**
 * What only a rail can do wrong, because only it knows its own answers. Each meets the subject's
 * requests alone, never those of people. Everything else that goes wrong belongs to the wire.
 */
export type RailFault =
  /** The next mutating request is answered 500, and that answer is stored and replayed under its key. */
  | { readonly kind: 'stored-error'; readonly landed: boolean }
  /** The next `times` mutating requests are told that an earlier one under their key is still running. */
  | { readonly kind: 'in-flight-conflict'; readonly times: number }
  /** The next mutating request is refused in the service's own words. */
  | { readonly kind: 'refused'; readonly status: 401 | 429 }
  /** The next mutating request is refused by the service's own rules, until something changes or for good. */
  | { readonly kind: 'turned-down'; readonly forGood: boolean }
  /** The next mutating request takes effect, what the service does after it is left undone, and a 502 comes back. */
  | { readonly kind: 'half-done' }
  /** The next lookup fails; `empty-claims-more` is an empty page that says there is another. */
  | { readonly kind: 'lookup-error'; readonly how: 401 | 429 | 500 | 'empty-claims-more' }
  /** Lookups show an effect only once the rail's own lag, which is the declared one, has passed since it landed. */
  | { readonly kind: 'stale-read' }
  /**
   * Every lookup has the subject's effect on a later page, behind effects of equal substance made by
   * somebody else; with `changes`, such an effect appears or goes between two pages.
   */
  | { readonly kind: 'paged'; readonly lookAlikes: number; readonly changes: boolean };

/** What people and other programs do at the service while the subject is not looking. */
export const railWorldEvents = [
  /** A person, through another credential, performs the same effect. */
  'done-by-hand',
  /** A person undoes the effect of the subject that is there. */
  'undone-by-hand',
  /** A fact that the target captures for the request changes, and with it the fact's version. */
  'premise-changed',
  /** It changes and changes back: the value is the old one, the version is not. */
  'premise-changed-and-back',
  /** Something near it changes that no captured premise speaks of. */
  'unrelated-change',
  /** The service restarts: connections break, what was not finished never will be, what was stays. */
  'rail-restarted',
] as const;
export type RailWorldEvent = (typeof railWorldEvents)[number];

/** A request that stands still in the service's own hands. */
export interface HeldRequest {
  /** Resolves when the next request will be held; absent: at once. */
  readonly armed?: Promise<void>;
  /** Resolves when a request is held: nothing its sender does can stop it any more. */
  readonly reached: Promise<void>;
  /** Lets it go on, whether or not its sender still lives. */
  release(): void;
}

export interface RailNamespace {
  readonly endpoint: Endpoint;
  /** What the subject signs with. */
  readonly credentials: JsonObject;
  /** What people and other programs sign with; absent where the service knows only one credential. */
  readonly personCredentials?: JsonObject;
  /** The journal of this namespace, oldest first. */
  effects(): Promise<readonly JournalEffect[]>;
  /** The same seed gives the same examples. */
  examples(seed: number): Examples;
  /** True when no request is being worked on or queued. Absent: only the wire is asked. */
  idle?(): boolean | Promise<boolean>;
  /** Moves this namespace's clock; windows are crossed only so. */
  setClock?(offsetMs: number): void;
  /**
   * True for a request that can't make an effect although its method is not a safe one, such as the
   * planting of a fence. Absent: the method alone decides.
   */
  makesNoEffect?(request: { readonly method: string; readonly path: string }): boolean;
  /** The faults this namespace can do; absent: none. */
  readonly can?: readonly RailFault['kind'][];
  /**
   * Arms a fault of `can`, throws for any other. `fired` is called each time it meets a request. A
   * fault of a mutating request or of "the next lookup" is spent once it has; `stale-read` and
   * `paged` stay.
   */
  arm?(fault: RailFault, fired: () => void): void;
  /** The events of the world this namespace can perform; absent: none. */
  readonly worldEvents?: readonly RailWorldEvent[];
  /**
   * Performs an event of `worldEvents`, throws for any other and where there is nothing to perform it
   * on. `request` is the request of the trial, which names what the event is about.
   */
  world?(event: RailWorldEvent, request: JsonObject): Promise<void>;
  /** Stops the subject's next effect while the service is at work on it. Absent: it can't be stopped there. */
  hold?(): HeldRequest;
  /** Forgets the namespace. */
  close?(): Promise<void>;
}

export interface Rail {
  readonly name: string;
  /**
   * Why nothing can be run against the service here, such as a key that is not given; absent: it can. A
   * namespace then tells what it could do and has no service behind it.
   */
  readonly unavailable?: string;
  /**
   * Why nothing may be run against the service with what was given, such as a key that moves money;
   * absent: it may. Whoever asks for a trial of it is refused before any trial of the run begins.
   */
  readonly refused?: string;
  /** The id `declaration` only asks what a namespace could do: nothing is sent to the service for it. */
  openNamespace(id: string): Promise<RailNamespace>;
  close(): Promise<void>;
}

export interface RailConfig {
  readonly options: JsonObject;
  /** Environment variables of the program that runs the rail; secrets reach a rail only so. Absent: none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** A database of a program under test, past the wire: where it keeps what it must remember. */
export interface ApplicationDatabase {
  /** Holds a password made for this database alone. */
  readonly url: string;
  close(): Promise<void>;
}

export interface ApplicationDatabases {
  open(): Promise<ApplicationDatabase>;
  close(): Promise<void>;
}

/** What a rail module exports that can also give a program under test a database of its own. */
export type CreateApplicationDatabases = (config: RailConfig) => ApplicationDatabases;

/** What a rail module exports under the name it is loaded by. */
export type CreateRail = (config: RailConfig) => Promise<Rail>;
