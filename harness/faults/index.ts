/**
 * Every fault of the wire by name, and the injector that strikes with one of them: in its armed phase,
 * on the first thing it can meet there, and from then on where the fault lasts. Everything else
 * passes as if there were no wire.
 */
import type { ArmedFault, Phase } from '../model/cell.ts';
import { faultTable, isWireFault, type WireFaultName } from '../model/fault-table.ts';
import type { ObservedEvent } from '../model/history.ts';
import type { Handling, WireDecisions } from '../wire/wire.ts';
import { errorAfterApply } from './error-after-apply.ts';
import { errorBeforeApply } from './error-before-apply.ts';
import type { Circumstances, Fault } from './fault.ts';
import { foreignReply } from './foreign-reply.ts';
import { lateApply } from './late-apply.ts';
import { partition } from './partition.ts';
import { partitionForever } from './partition-forever.ts';
import { replyLost } from './reply-lost.ts';
import { requestLost } from './request-lost.ts';
import { slow } from './slow.ts';
import { truncatedReply } from './truncated-reply.ts';

/** A name without its fault, or under another's name, does not compile. */
export const faults: { readonly [Name in WireFaultName]: Fault & { name: Name } } = {
  'request-lost': { ...requestLost, name: 'request-lost' },
  'reply-lost': { ...replyLost, name: 'reply-lost' },
  'error-before-apply': { ...errorBeforeApply, name: 'error-before-apply' },
  'error-after-apply': { ...errorAfterApply, name: 'error-after-apply' },
  'late-apply': { ...lateApply, name: 'late-apply' },
  partition: { ...partition, name: 'partition' },
  'partition-forever': { ...partitionForever, name: 'partition-forever' },
  slow: { ...slow, name: 'slow' },
  'foreign-reply': { ...foreignReply, name: 'foreign-reply' },
  'foreign-reply-sticky': { ...foreignReply, name: 'foreign-reply-sticky' },
  'truncated-reply': { ...truncatedReply, name: 'truncated-reply' },
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
  readonly circumstances: Circumstances;
}

const untouched: Handling = { upstream: 'forward', reply: 'deliver' };

/** A fault that only a rail can do is none to the wire: everything passes. */
export function createFaultInjector(options: FaultInjectorOptions): FaultInjector {
  const { fault: armed, observe, resetIdle } = options;
  const fault = wireFault(armed);
  const armedPhase = armed.fault === 'none' ? null : armed.phase;
  const lasts = armed.fault === 'none' ? 'once' : faultTable[armed.fault].lasts;
  let striking = false;
  let fired = false;

  const fire = (incarnation: number, request: number | null): void => {
    if (!fired) observe({ type: 'fault-fired', incarnation, fault: armed.fault, request });
    fired = true;
    striking = false;
  };
  /** What lasts goes on wherever it meets something, in its phase or after it. */
  const strikes = () => striking || (fired && lasts !== 'once');

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
      if (fault?.meets !== 'connection' || !strikes()) return 'accept';
      fire(incarnation, null);
      return 'refuse';
    },
    request({ incarnation, mutating, request }) {
      // A phase of looks is met by a look, every other by a send.
      const isMeant = armedPhase === 'look' ? !mutating : mutating;
      if (fault?.meets !== 'request' || !isMeant || !strikes()) return untouched;
      fire(incarnation, request);
      const { handling } = fault;
      return typeof handling === 'function' ? handling(options.circumstances) : handling;
    },
  };
}

function wireFault(armed: ArmedFault): Fault | null {
  if (armed.fault === 'none') return null;
  return isWireFault(armed.fault) ? faults[armed.fault] : null;
}
