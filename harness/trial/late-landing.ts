/**
 * When a request that is meant to land late lands: never before its sender is dead or has given up,
 * and, by what the target promises, at the moment that is hardest for a gate.
 */

import type { ObservedEvent } from '../model/history.ts';
import { situationOf } from '../model/situation.ts';
import type { TrialSpec } from '../model/trial.ts';

/**
 * `after-first-answer`: the first answer of any kind that came while the service itself stood still over it.
 * `after-recovery`: nothing in recovery could have seen it. `within-bound`: as late as the declared bound
 * allows, so that who looks sooner finds nothing; without a bound, while recovery is under way.
 * `after-first-look`: the first look has found nothing; a look may be several requests, one soon after the
 * other.
 */
export type LandingTime =
  | 'after-recovery'
  | 'after-first-answer'
  | 'within-bound'
  | 'after-first-look';

/**
 * `keepsLocks`: what is held keeps a lock that whoever sends the same again has to wait for, as an open
 * transaction does; held until recovery is over it would keep recovery from ever being answered.
 */
export function landingTimeOf(spec: TrialSpec, keepsLocks: boolean): LandingTime {
  // What recovery has to learn with decides it: a key that may not be sent again is as good as none.
  const cls = situationOf(spec.declaration, spec.cell).inRecovery;
  switch (cls) {
    case 'dedupes':
      // A service that is still at work on the key answers nothing else until it is done.
      return keepsLocks || spec.cell.kill === 'during_call:running'
        ? 'after-first-answer'
        : 'after-recovery';
    case 'window-over':
    case 'neither':
    case 'neither-marked':
      return 'after-recovery';
    case 'bound':
      return 'within-bound';
    case 'unbounded':
      return 'after-first-look';
    case 'fence':
      // The fence and the orphan race: the seed says which is first.
      return spec.draws.lateBeforeLook ? 'within-bound' : 'after-first-look';
    default:
      return cls satisfies never;
  }
}

/** What opens or sets up a transaction, or a mail before its message, asks nothing yet. */
function isPreparation(method: string): boolean {
  return [...preparesTransaction, ...preparesMail].includes(method);
}

const preparesTransaction = ['BEGIN', 'START', 'SET', 'SHOW', 'ROLLBACK', 'SYNC'];
const preparesMail = ['EHLO', 'HELO', 'AUTH', 'STARTTLS', 'MAIL', 'RCPT', 'DATA', 'RSET', 'QUIT'];

export interface LateLanding {
  /** Told every event of the trial. */
  observe(event: ObservedEvent): void;
  /** Something is held that the wire does not see: the service itself stands still over it. */
  heldInService(): void;
  /** Recovery, or the caller's behaviour, is over: what is still held lands now. */
  phaseOver(): void;
}

export interface LateLandingOptions {
  readonly time: LandingTime;
  /** Drawn: how long it is held beyond the event it waits for, or how much sooner than its latest it lands. */
  readonly holdMs: number;
  /** How long a received request can still land, by the target's word; null: it does not say. */
  readonly landingBoundMs: number | null;
  /** The first incarnation is killed with its request under way, so only a recovery can come after it. */
  readonly senderIsKilled: boolean;
  /** Lets go of what is held. */
  readonly release: () => void;
  /** Told when it was let go later than the bound: then the target's word was not kept, and nothing follows. */
  readonly overdue: (heldMs: number) => void;
}

/** The part of the bound that is used: the rest is for a machine that is short of breath. */
const usedOfBound = 0.75;
/** Whoever has not asked on for so long has ended his look. */
const lookEndsAfterMs = 30;

export function createLateLanding(options: LateLandingOptions): LateLanding {
  const connections = new Map<number, number>();
  const answers = new Set<number>();
  const looks = new Set<number>();
  let heldOn: number | null = null;
  let waits = false;
  let lookEnds: NodeJS.Timeout | undefined;

  const soon = (): void => {
    clearTimeout(lookEnds);
    if (!waits) return;
    waits = false;
    setTimeout(options.release, options.holdMs);
  };
  const beforeBound = (): void => {
    const { landingBoundMs, holdMs } = options;
    if (landingBoundMs === null) soon();
    if (landingBoundMs === null || !waits) return;
    waits = false;
    const beganMs = performance.now();
    setTimeout(
      () => {
        const heldMs = performance.now() - beganMs;
        if (heldMs > landingBoundMs) options.overdue(heldMs);
        options.release();
      },
      Math.max(0, usedOfBound * landingBoundMs - holdMs),
    );
  };

  return {
    observe(event) {
      switch (event.type) {
        case 'request-began':
          connections.set(event.request, event.connection);
          break;
        case 'request-whole':
          if (!isPreparation(event.method)) answers.add(event.request);
          if (!event.mutating && !isPreparation(event.method)) looks.add(event.request);
          if (looks.has(event.request)) clearTimeout(lookEnds);
          break;
        case 'held':
          heldOn = connections.get(event.request) ?? null;
          waits = true;
          break;
        case 'connection': {
          const gaveUp = event.what === 'closed' && event.connection === heldOn;
          if (gaveUp && options.time === 'within-bound' && !options.senderIsKilled) beforeBound();
          break;
        }
        case 'sent':
          if (event.message.type === 'recover' && options.time === 'within-bound') beforeBound();
          break;
        case 'replied':
          if (answers.has(event.request) && options.time === 'after-first-answer') soon();
          // What was read before anything was held looked for something else.
          if (waits && looks.has(event.request) && options.time === 'after-first-look') {
            lookEnds = setTimeout(soon, lookEndsAfterMs);
          }
          break;
        default:
          break;
      }
    },
    heldInService: () => {
      waits = true;
    },
    phaseOver: soon,
  };
}
