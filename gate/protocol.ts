/**
 * The subject protocol: JSON lines, harness to subject on descriptor 3, subject to harness on 4.
 * Types only; the harness's schemas are checked equal to them when it is compiled.
 * `docs/subject-protocol.md` is written so that a subject can be implemented from it alone.
 */
import type { Endpoint, JsonObject, Premise, TargetDeclaration } from '../adapters/target.ts';
import type { AnnouncedPoint, Outcome, Resolution } from './gate.ts';

export interface ArmedPoint {
  readonly point: AnnouncedPoint;
  /** Which time the point is reached in this incarnation, from 1. */
  readonly occurrence: number;
}

export interface StartMessage {
  readonly type: 'start';
  readonly protocol: 1;
  /** A folder of the subject's own; everything it must remember goes here. */
  readonly ledger: string;
  readonly target: {
    /** A module that can be loaded with require or import, and the name of its factory. */
    readonly module: string;
    readonly export: string;
    readonly endpoint: Endpoint;
    readonly credentials: JsonObject;
    readonly options: JsonObject;
  };
  /** GET `${url}/leases/${lease}` answers a LeaseState as JSON. */
  readonly authority: { readonly url: string };
  /** The target's declaration as it holds in this trial, for subjects that don't load the module. */
  readonly declaration: TargetDeclaration;
  /** Added to the system clock by everything the subject computes with time. */
  readonly clockOffsetMs: number;
  readonly armed: readonly ArmedPoint[];
}

export interface SubmitMessage {
  readonly type: 'submit';
  readonly id: number;
  readonly requestId: string;
  readonly request: JsonObject;
  readonly lease: string;
  readonly premises: readonly Premise[];
}
export interface RecoverMessage {
  readonly type: 'recover';
  readonly id: number;
}
export interface AskMessage {
  readonly type: 'ask';
  readonly id: number;
  readonly request: JsonObject;
}
export interface ResolveMessage {
  readonly type: 'resolve';
  readonly id: number;
  readonly request: JsonObject;
  readonly resolution: Resolution;
}
export interface ClockMessage {
  readonly type: 'clock';
  readonly offsetMs: number;
}
export interface StopMessage {
  readonly type: 'stop';
}
export interface GoMessage {
  readonly type: 'go';
}

export type HarnessMessage =
  | StartMessage
  | SubmitMessage
  | RecoverMessage
  | AskMessage
  | ResolveMessage
  | ClockMessage
  | StopMessage
  | GoMessage;

/** What a gate may leave out, as long as it refuses what depends on it. */
export type LeftOut = 'premises' | 'caps' | 'distinct';

export interface ReadyMessage {
  readonly type: 'ready';
  /** The process that will do the work: it must be the one the harness started. */
  readonly pid: number;
  readonly name: string;
  readonly version: string;
  readonly capabilities: {
    /** The points it can announce. */
    readonly points: readonly AnnouncedPoint[];
    readonly resolve: boolean;
    /** How often it asks a service about one intent, over all lifetimes, before a person; absent: it does not say. */
    readonly looks?: number | undefined;
    /** False where it can't be asked what became of a decision; absent: it can. */
    readonly ask?: boolean | undefined;
    /** What it refuses because it can't do it; absent: nothing. */
    readonly leavesOut?: readonly LeftOut[] | undefined;
  };
}
/** Sent at an armed point. The subject then blocks until it has read `go`. */
export interface AtMessage {
  readonly type: 'at';
  readonly point: AnnouncedPoint;
  readonly intent: string;
  readonly attempt: number;
  readonly occurrence: number;
}
/** Answers `recover`. */
export interface DoneMessage {
  readonly type: 'done';
  readonly re: number;
}
/** Answers `submit`, `ask` and `resolve`. */
export interface OutcomeMessage extends Outcome {
  readonly type: 'outcome';
  readonly re: number;
}

export type SubjectMessage = ReadyMessage | AtMessage | DoneMessage | OutcomeMessage;
