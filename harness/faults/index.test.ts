import { describe, expect, it } from 'vitest';
import { type ArmedFault, allArmedFaults, noFault } from '../model/cell.ts';
import { faultTable, isWireFault } from '../model/fault-table.ts';
import type { ObservedEvent } from '../model/history.ts';
import type { WireRequest } from '../wire/wire.ts';
import { createFaultInjector, faults } from './index.ts';

const untouched = { upstream: 'forward', reply: 'deliver' };
const replyLost: ArmedFault = { fault: 'reply-lost', phase: 'resend' };

function arm(fault: ArmedFault, resetIdle?: () => void) {
  const events: ObservedEvent[] = [];
  const observe = (event: ObservedEvent) => void events.push(event);
  const injector = createFaultInjector({
    fault,
    observe,
    circumstances: { foreignReply: null, clientTimeoutMs: 200 },
    ...(resetIdle === undefined ? {} : { resetIdle }),
  });
  return { injector, events };
}

function request(number: number, mutating = true): WireRequest {
  return {
    request: number,
    incarnation: 2,
    connection: 1,
    method: mutating ? 'POST' : 'GET',
    path: '/',
    mutating,
    key: null,
    bodySha256: '',
  };
}

describe('the fault injector', () => {
  it('strikes once, in its phase, and only what can have an effect', () => {
    const { injector, events } = arm(replyLost);
    injector.enter('first-send');
    expect(injector.request(request(1))).toEqual(untouched);
    injector.enter('resend');
    expect(injector.request(request(2, false))).toEqual(untouched);
    expect(injector.fired()).toBe(false);
    expect(injector.request(request(3))).toEqual({ upstream: 'forward', reply: 'reset' });
    expect(injector.request(request(4))).toEqual(untouched);
    injector.enter('resend');
    expect(injector.request(request(5))).toEqual(untouched);
    expect(events).toEqual([
      { type: 'fault-armed', fault: 'reply-lost', phase: 'resend' },
      { type: 'fault-fired', incarnation: 2, fault: 'reply-lost', request: 3 },
    ]);
  });

  it('strikes nothing once its phase is over', () => {
    const { injector } = arm(replyLost);
    injector.enter('resend');
    injector.enter(null);
    expect(injector.request(request(1))).toEqual(untouched);
    expect(injector.fired()).toBe(false);
  });

  it('refuses no connection for a fault that meets requests, and touches no request for one that meets connections', () => {
    const lost = arm(replyLost).injector;
    lost.enter('resend');
    expect(lost.connection({ incarnation: 2, connection: 1 })).toBe('accept');
    const cut = arm({ fault: 'partition', phase: 'caller' }).injector;
    cut.enter('caller');
    expect(cut.request(request(1))).toEqual(untouched);
    expect(cut.connection({ incarnation: 2, connection: 1 })).toBe('refuse');
    expect(cut.connection({ incarnation: 2, connection: 2 })).toBe('accept');
  });

  it('has connections at rest reset when a fault that meets connections is armed, and for no other', () => {
    let resets = 0;
    const count = () => {
      resets += 1;
    };
    arm(replyLost, count).injector.enter('resend');
    expect(resets).toBe(0);
    const { injector } = arm({ fault: 'partition', phase: 'caller' }, count);
    injector.enter('resend');
    injector.enter('caller');
    injector.enter('caller');
    expect(resets).toBe(1);
  });

  it('does nothing at all where no fault is armed', () => {
    const { injector, events } = arm(noFault);
    injector.enter('first-send');
    expect(injector.connection({ incarnation: 1, connection: 1 })).toBe('accept');
    expect(injector.request(request(1))).toEqual(untouched);
    expect(events).toEqual([]);
  });
});

it('every fault a cell can name is there under its name, with its meaning and its proof', () => {
  const named = allArmedFaults.flatMap((armed) =>
    armed.fault !== 'none' && isWireFault(armed.fault) ? [armed.fault] : [],
  );
  expect(Object.keys(faults).sort()).toEqual([...new Set(named)].sort());
  for (const [name, fault] of Object.entries(faults)) {
    expect(fault.name).toBe(name);
    expect(faultTable[fault.name].meaning.length).toBeGreaterThan(20);
    expect(fault.proof.length).toBeGreaterThan(20);
  }
});
