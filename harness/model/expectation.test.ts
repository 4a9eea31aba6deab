import { describe, expect, it } from 'vitest';
import {
  allArmedFaults,
  type CallerBehaviour,
  callerBehaviours,
  type Phase,
  type Scenario,
} from './cell.ts';
import {
  classify,
  type GuaranteeClass,
  guaranteeClasses,
  guaranteeClassTitles,
} from './expectation.ts';
import { faultTable } from './fault-table.ts';
import {
  type KillPoint,
  killPointNames,
  type NamedKillPoint,
  wireKillPoints,
} from './kill-points.ts';
import {
  declarations,
  ended as endedAt,
  type ScenarioChange,
  scenarioOf,
} from './testing/classes.ts';

function scenario(cls: GuaranteeClass, change: ScenarioChange): Scenario {
  return scenarioOf({ world: cls === 'window-over' ? 'long-outage' : 'none', ...change });
}

function cell(cls: GuaranteeClass, change: ScenarioChange): string {
  return endedAt(declarations[cls], scenario(cls, change));
}

describe('the expectation function', () => {
  it('names the class of every declaration', () => {
    for (const cls of guaranteeClasses)
      expect(classify(declarations[cls], cls === 'window-over')).toBe(cls);
  });

  it('prints the table of kill points by guarantee classes with no fault and a live authority', () => {
    const rows = killPointNames.map((kill) =>
      [kill, ...guaranteeClasses.map((cls) => cell(cls, { kill }))].join(' | '),
    );
    const table = [
      ['kill point', ...guaranteeClasses.map((cls) => guaranteeClassTitles[cls])].join(' | '),
      ...rows,
    ];
    expect(`\n${table.join('\n')}\n`).toBe(`
kill point | dedupes, in window | window over, no lookup | lookup + fence | lookup + bound | lookup, no finality | neither | neither, mark of no return
before_wal | A0 → H1 | A0 → H1 | A0 → H1 | A0 → H1 | A0 → H1 | A0 → H1 | A0 → H1
after_wal_before_call | H1 → H1 | U0 → U0 | A0 → H1 | A0 → H1 | U0 → U0 | U0 → U0 | A0 → H1
during_call:now | H1 → H1 | U1 → U1 | H1 → H1 | H1 → H1 | H1 → H1 | U1 → U1 | U1 → U1
during_call:later | H1 → H1 | U1 → U1 | A0 or H1 → H1 | H1 → H1 | H1 or U1 → H1 | U1 → U1 | U1 → U1
during_call:never | H1 → H1 | U0 → U0 | A0 → H1 | A0 → H1 | U0 → U0 | U0 → U0 | U0 → U0
after_call_before_commit | H1 → H1 | U1 → U1 | H1 → H1 | H1 → H1 | H1 → H1 | U1 → U1 | U1 → U1
after_commit_before_ack | H1 → H1 | H1 → H1 | H1 → H1 | H1 → H1 | H1 → H1 | H1 → H1 | H1 → H1
`);
  });

  // Written by hand: the phases in which any fault can meet a caller that asks the same again.
  type ByHand = Record<'keyed' | 'asked' | 'blind', readonly Phase[]>;
  const phasesByHand: Record<NamedKillPoint, ByHand> = {
    before_wal: { keyed: ['caller'], asked: ['caller'], blind: ['caller'] },
    after_wal_before_call: { keyed: ['resend'], asked: ['look', 'caller'], blind: [] },
    'during_call:now': { keyed: ['resend'], asked: ['look'], blind: [] },
    'during_call:later': { keyed: ['resend'], asked: ['look'], blind: [] },
    'during_call:never': { keyed: ['resend'], asked: ['look', 'caller'], blind: [] },
    after_call_before_commit: {
      keyed: ['first-send', 'resend'],
      asked: ['first-send', 'look'],
      blind: ['first-send'],
    },
    after_commit_before_ack: {
      keyed: ['first-send'],
      asked: ['first-send'],
      blind: ['first-send'],
    },
  };

  it.each(killPointNames)('meets faults at %s in the phases written by hand', (kill) => {
    for (const [cls, byHand] of [
      ['dedupes', phasesByHand[kill].keyed],
      ['bound', phasesByHand[kill].asked],
      ['neither', phasesByHand[kill].blind],
    ] as const) {
      for (const fault of allArmedFaults) {
        const facts = fault.fault === 'none' ? null : faultTable[fault.fault];
        // Only a service that stores keys can do these, and one that is cut off for good has no first
        // look for a late request to wait for.
        if (facts?.needs === 'stored-keys' && cls !== 'dedupes') continue;
        if (facts?.lasts === 'forever' && kill === 'during_call:later' && cls === 'bound') continue;
        const met = cell(cls, { kill, fault }) !== 'cannot-meet';
        expect(met, `${cls} ${JSON.stringify(fault)}`).toBe(
          fault.fault === 'none' || byHand.includes(fault.phase),
        );
      }
    }
  });

  it('leaves a changed amount no send for a caller fault to meet', () => {
    const fault = { fault: 'reply-lost', phase: 'caller' } as const;
    expect(cell('dedupes', { kill: 'before_wal', fault, caller: 'changed-amount' })).toBe(
      'cannot-meet',
    );
    expect(cell('dedupes', { kill: 'before_wal', fault, caller: 'storm' })).toBe('A0 or H1 → H1');
  });

  const spineFaults = allArmedFaults.filter(
    (armed) =>
      armed.fault === 'none' ||
      (armed.phase !== 'look' &&
        [
          'request-lost',
          'reply-lost',
          'error-before-apply',
          'error-after-apply',
          'late-apply',
          'partition',
        ].includes(armed.fault)),
  );

  // Counted by hand for one caller: each kill point without a fault, six faults of the first send at the
  // two points after the call, six of a resend at the five points between, six of the caller at the first.
  const asking = { dedupes: 7 + 6 * 2 + 6 * 5 + 6, neither: 7 + 6 * 2 + 6 };
  // No fault can be counted on to meet a caller who need not send, or one of two decisions.
  const withoutCallerFaults = { dedupes: asking.dedupes - 6, neither: asking.neither - 6 };
  const reachedByHand: Record<CallerBehaviour, typeof asking> = {
    'same-again': asking,
    'fresh-id': asking,
    'changed-amount': withoutCallerFaults,
    storm: asking,
    'second-session': asking,
    'second-legitimate': withoutCallerFaults,
    'invented-reason': withoutCallerFaults,
    'gives-up': withoutCallerFaults,
    'over-cap': withoutCallerFaults,
  };

  it.each(callerBehaviours)('reaches as many cells as were counted by hand: %s', (caller) => {
    const reached = (cls: GuaranteeClass) =>
      killPointNames
        .flatMap((kill) => spineFaults.map((fault) => cell(cls, { kill, fault, caller })))
        .filter((ending) => ending !== 'cannot-meet').length;
    expect({ dedupes: reached('dedupes'), neither: reached('neither') }).toEqual(
      reachedByHand[caller],
    );
  });

  it('keeps the journal and the claim as they were when the amount changes', () => {
    expect(cell('dedupes', { kill: 'before_wal', caller: 'changed-amount' })).toBe('A0 → A0');
    expect(cell('neither', { kill: 'during_call:now', caller: 'changed-amount' })).toBe('U1 → U1');
  });

  it('counts what a lost, failed or late first reply left behind', () => {
    const at = (
      fault: 'request-lost' | 'reply-lost' | 'late-apply' | 'partition',
      kill: KillPoint,
    ) => cell('neither', { kill, fault: { fault, phase: 'first-send' } });
    expect(at('request-lost', 'after_call_before_commit')).toBe('U0 → U0');
    expect(at('reply-lost', 'after_call_before_commit')).toBe('U1 → U1');
    expect(at('late-apply', 'after_commit_before_ack')).toBe('U1 → U1');
    expect(at('partition', 'after_commit_before_ack')).toBe('U0 → U0');
  });

  const ended = (
    cls: GuaranteeClass,
    kill: KillPoint,
    fault: Extract<Scenario['fault'], { phase: Phase }>['fault'],
    phase: Phase,
  ) => cell(cls, { kill, fault: { fault, phase } });

  it('knows no answer when none can be believed any more, and asks where it can ask', () => {
    const sticky = (cls: GuaranteeClass) =>
      ended(cls, 'after_call_before_commit', 'foreign-reply-sticky', 'first-send');
    expect([sticky('dedupes'), sticky('bound'), sticky('neither')]).toEqual([
      'U1 → U1',
      'H1 → H1',
      'U1 → U1',
    ]);
    expect(ended('dedupes', 'before_wal', 'foreign-reply-sticky', 'caller')).toBe('A0 → U1');
    expect(ended('dedupes', 'after_wal_before_call', 'foreign-reply-sticky', 'resend')).toBe(
      'U1 → U1',
    );
    expect(ended('dedupes', 'before_wal', 'stored-error-lost', 'caller')).toBe('A0 → U0');
    expect(ended('dedupes', 'after_call_before_commit', 'stored-error-landed', 'first-send')).toBe(
      'U1 → U1',
    );
  });

  it('is left with what had landed when nothing gets through any more', () => {
    const cut = (cls: GuaranteeClass, kill: KillPoint, phase: Phase) =>
      ended(cls, kill, 'partition-forever', phase);
    expect(cut('dedupes', 'during_call:now', 'resend')).toBe('U1 → U1');
    expect(cut('dedupes', 'after_wal_before_call', 'resend')).toBe('U0 → U0');
    expect(cut('unbounded', 'during_call:now', 'look')).toBe('U1 → U1');
    expect(cut('fence', 'before_wal', 'caller')).toBe('A0 → U0');
    expect(cut('neither-marked', 'after_call_before_commit', 'first-send')).toBe('A0 → A0');
  });

  it('ends where it would have ended when recovery itself is killed, at the points it comes to', () => {
    const killed = (cls: GuaranteeClass, ...recoveryKills: Scenario['recoveryKills']) =>
      cell(cls, { kill: 'after_wal_before_call', recoveryKills });
    expect(killed('dedupes', 'owned', 'before-resend')).toBe('H1 → H1');
    expect(killed('dedupes', 'before-lookup')).toBe('cannot-meet');
    expect(killed('fence', 'after-lookup', 'after-lookup')).toBe('A0 → H1');
    expect(killed('neither', 'before-settle')).toBe('U0 → U0');
    expect(cell('dedupes', { kill: 'before_wal', recoveryKills: ['owned'] })).toBe('cannot-meet');
  });

  it('lets nobody else send while the first is only paused', () => {
    const paused = (kill: KillPoint) => cell('neither', { kill, paused: true });
    expect(paused('after_wal_before_call')).toBe('W0 → H1');
    expect(paused('after_call_before_commit')).toBe('W1 → H1');
    expect(paused('during_call:now')).toBe('cannot-meet');
  });

  it('ends where it would have ended when a second recoverer comes at a point of the first', () => {
    const rival = (cls: GuaranteeClass, rivalAt: NonNullable<Scenario['rivalAt']>) =>
      cell(cls, { kill: 'after_wal_before_call', rivalAt });
    expect(rival('dedupes', 'before-resend')).toBe('H1 → H1');
    expect(rival('bound', 'after-lookup')).toBe('A0 → H1');
    expect(rival('neither', 'before-resend')).toBe('cannot-meet');
  });

  it('knows at a place on the wire what it knows at the named point it stands for', () => {
    for (const { point, standsFor } of wireKillPoints) {
      if (standsFor === null) continue;
      for (const cls of guaranteeClasses) {
        if (cls === 'neither-marked') continue;
        expect(cell(cls, { kill: point }), `${cls} ${point}`).toBe(cell(cls, { kill: standsFor }));
      }
    }
    expect(cell('neither', { kill: 'wire:whole-reply' })).toBe('H1 or U1 → H1 or U1');
    expect(cell('neither-marked', { kill: 'wire:first-byte' })).toBe('A0 → H1');
    expect(cell('neither-marked', { kill: 'wire:half-request' })).toBe('U0 → U0');
  });
});
