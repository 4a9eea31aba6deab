/**
 * Where a gate that writes its work down and then calls leaves off when its first life ends at a kill
 * point: what it has recorded by then, and what the service has seen.
 */
import type { FaultKind } from './fault-table.ts';
import type { KillPoint } from './kill-points.ts';
import type { PlayedService } from './played-service.ts';

/** What can be told beforehand: faults that leave such a gate without an answer, so that it tries again. */
export const derivedFaults: readonly FaultKind[] = [
  'request-lost',
  'reply-lost',
  'error-before-apply',
  'error-after-apply',
  'late-apply',
  'partition',
  'slow',
  'truncated-reply',
];

export interface FirstLife {
  /** The key of its first call. */
  readonly key: string;
  /** One call and no record of what came. */
  send(): unknown;
  /** Calls until it can record an answer, or has given up. */
  sendUntilAnswered(): 'done' | 'again';
}

/**
 * `untried`: no attempt is on record. `pending`: one is, and no answer. `done`: the answer is. `open`:
 * which of them it is can't be told, or it never comes to the point.
 */
export function leaveOff(
  kill: KillPoint,
  service: PlayedService,
  life: FirstLife,
): 'untried' | 'pending' | 'done' | 'open' {
  service.enter('first-send');
  const isOver = kill === 'after_call_before_commit' || kill === 'after_commit_before_ack';
  if (!isOver && service.missed('first-send')) return 'open';
  switch (kill) {
    case 'before_wal':
      return 'untried';
    case 'after_wal_before_call':
    case 'during_call:never':
    case 'wire:connection':
    case 'wire:first-byte':
    case 'wire:half-request':
    case 'wire:whole-request':
      return 'pending';
    case 'during_call:now':
    case 'wire:applied':
    case 'wire:first-reply-byte':
    case 'wire:half-reply':
      service.land(life.key);
      return 'pending';
    case 'during_call:later':
    case 'during_call:running':
      service.landLater(life.key);
      return 'pending';
    case 'wire:whole-reply':
      return 'open';
    case 'after_call_before_commit':
      life.send();
      return 'pending';
    case 'after_commit_before_ack':
      return life.sendUntilAnswered() === 'done' ? 'done' : 'open';
    default:
      return kill satisfies never;
  }
}
