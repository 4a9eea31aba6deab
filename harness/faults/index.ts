/**
 * Every fault by name, and the injector that strikes with one of them: once, in its armed phase, on
 * the first thing it can meet there. Everything else passes as if there were no wire.
 */
import type { ArmedFault, FaultName, Phase } from '../model/cell.ts';
import type { ObservedEvent } from '../model/history.ts';
import type { Handling, WireDecisions } from '../wire/wire.ts';
import { errorAfterApply } from './error-after-apply.ts';
import { errorBeforeApply } from './error-before-apply.ts';
import type { Fault } from './fault.ts';
import { lateApply } from './late-apply.ts';
import { partition } from './partition.ts';
import { replyLost } from './reply-lost.ts';
import { requestLost } from './request-lost.ts';

/** A name without its fault, or under another's name, does not compile. */
export const faults: { readonly [Name in Exclude<FaultName, 'none'>]: Fault & { name: Name } } = {
  'request-lost': { ...requestLost, name: 'request-lost' },
  'reply-lost': { ...replyLost, name: 'reply-lost' },
  'error-before-apply': { ...errorBeforeApply, name: 'error-before-apply' },
  'error-after-apply': { ...errorAfterApply, name: 'error-after-apply' },
  'late-apply': { ...lateApply, name: 'late-apply' },
  partition: { ...partition, name: 'partition' },
};

export interface FaultInjector extends WireDecisions {
  /** Says which phase it is now; null where no fault may strike. */
  enter(phase: Phase | null): void;
  fired(): boolean;
}

export interface FaultInjectorOptions {
  readonly fault: ArmedFault;
  readonly observe: (event: ObservedEvent) => void;
  /**
   * Resets the connections at rest. Called when a fault that meets connections is armed: over one kept
   * alive the next request would pass it by.
   */
  readonly resetIdle?: () => void;
}

const untouched: Handling = { upstream: 'forward', reply: 'deliver' };

export function createFaultInjector(options: FaultInjectorOptions): FaultInjector {
  const { fault: armed, observe, resetIdle } = options;
  const fault = armed.fault === 'none' ? null : faults[armed.fault];
  const armedPhase = armed.fault === 'none' ? null : armed.phase;
  let striking = false;
  let fired = false;

  const fire = (incarnation: number, request: number | null): void => {
    fired = true;
    striking = false;
    observe({ type: 'fault-fired', incarnation, fault: armed.fault, request });
  };

  return {
    enter(phase) {
      const wasStriking = striking;
      striking = fault !== null && phase === armedPhase && !fired;
      if (!striking || wasStriking || fault === null || armedPhase === null) return;
      observe({ type: 'fault-armed', fault: fault.name, phase: armedPhase });
      if (fault.meets === 'connection') resetIdle?.();
    },
    fired: () => fired,
    connection({ incarnation }) {
      if (!striking || fault?.meets !== 'connection') return 'accept';
      fire(incarnation, null);
      return 'refuse';
    },
    request({ incarnation, mutating, request }) {
      if (!striking || fault?.meets !== 'request' || !mutating) return untouched;
      fire(incarnation, request);
      return fault.handling;
    },
  };
}
