/**
 * Whether what a subject announces is the very point its kill waits for. Pure: the trial asks before
 * it kills, and whoever judges asks the history again.
 */
import type { AnnouncedPoint } from '../../gate/gate.ts';
import type { AtMessage } from '../../gate/protocol.ts';
import type { ObservedEvent } from '../model/history.ts';
import { announcedPointOf } from '../model/kill-points.ts';

export type ArmedKill = Extract<ObservedEvent, { type: 'kill-armed' }>;
export type Announcement = Pick<AtMessage, 'point' | 'attempt' | 'occurrence'>;

export function isArmedPoint(armed: ArmedKill, at: Announcement): boolean {
  return (
    at.point === armed.point &&
    at.occurrence === armed.occurrence &&
    (!knowsAttempt(at.point) || at.attempt === armed.attempt)
  );
}

/** `after_wal_before_call, attempt 1, occurrence 1`; the attempt only where it is known beforehand. */
export function describeArmed({ point, attempt, occurrence }: ArmedKill): string {
  const announced = announcedPointOf(point);
  return announced !== null && knowsAttempt(announced)
    ? describeAnnouncement({ point: announced, attempt, occurrence })
    : `${point}, occurrence ${occurrence}`;
}

export function describeAnnouncement({ point, attempt, occurrence }: Announcement): string {
  return `${point}, attempt ${attempt}, occurrence ${occurrence}`;
}

/**
 * Only the first call's own points have one attempt they can belong to: a submit's last word may
 * follow a resend, and recovery counts on from whatever earlier lifetimes recorded.
 */
function knowsAttempt(point: AnnouncedPoint): boolean {
  switch (point) {
    case 'before_wal':
    case 'after_wal_before_call':
    case 'after_call_before_commit':
      return true;
    case 'after_commit_before_ack':
    case 'recovery:owned':
    case 'recovery:before-lookup':
    case 'recovery:after-lookup':
    case 'recovery:before-resend':
    case 'recovery:before-settle':
      return false;
    default:
      return point satisfies never;
  }
}
