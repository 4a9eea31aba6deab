/** What each behaviour of the caller makes of every cell without a fault. The tables are written by hand from the design. */
import { describe, expect, it } from 'vitest';
import type { CallerBehaviour, Scenario } from './cell.ts';
import { expectScenario, type GuaranteeClass } from './expectation.ts';
import { type KillPoint, killPointNames } from './kill-points.ts';
import {
  declarations,
  ended,
  endedSecond,
  type ScenarioChange,
  scenarioOf,
  withPremises,
} from './testing/classes.ts';

const kills: readonly KillPoint[] = [...killPointNames, 'during_call:running'];
const classes = [
  'dedupes',
  'fence',
  'bound',
  'unbounded',
  'neither',
  'neither-marked',
] as const satisfies readonly GuaranteeClass[];

/** What recovery ends at, by kill point and class: the first half of the table of design 9. */
const recovered: Readonly<Record<string, readonly string[]>> = {
  before_wal: ['A0', 'A0', 'A0', 'A0', 'A0', 'A0'],
  after_wal_before_call: ['H1', 'A0', 'A0', 'U0', 'U0', 'A0'],
  'during_call:now': ['H1', 'H1', 'H1', 'H1', 'U1', 'U1'],
  'during_call:later': ['H1', 'A0 or H1', 'H1', 'H1 or U1', 'U1', 'U1'],
  'during_call:never': ['H1', 'A0', 'A0', 'U0', 'U0', 'U0'],
  after_call_before_commit: ['H1', 'H1', 'H1', 'H1', 'U1', 'U1'],
  after_commit_before_ack: ['H1', 'H1', 'H1', 'H1', 'H1', 'H1'],
  'during_call:running': ['H1', 'A0 or H1', 'H1', 'H1 or U1', 'U1', 'U1'],
};

/** Two requests under a cap for one, by what recovery had ended at. */
const underCap: Readonly<Record<string, readonly [first: string, second: string]>> = {
  // It is there: the second is one too many.
  H1: ['H1', 'R0, 1 to 1 together'],
  // Nothing is there: whoever comes first gets it, and exactly one does.
  A0: ['H1 or R0', 'R0 or H1, 1 to 1 together'],
  'A0 or H1': ['H1 or R0', 'R0 or H1, 1 to 1 together'],
  // What may be there counts as if it were.
  U0: ['U0', 'R0, 0 to 1 together'],
  U1: ['U1', 'R0, 0 to 1 together'],
  'H1 or U1': ['H1', 'R0, 0 to 1 together'],
};

function everyCell<Shown>(show: (cls: GuaranteeClass, kill: KillPoint) => Shown) {
  return Object.fromEntries(kills.map((kill) => [kill, classes.map((cls) => show(cls, kill))]));
}

function fromRecovered<Shown>(show: (recoveredTo: string) => Shown) {
  return Object.fromEntries(Object.entries(recovered).map(([kill, row]) => [kill, row.map(show)]));
}

function answersTo(change: ScenarioChange, cls: GuaranteeClass) {
  const expectation = expectScenario(declarations[cls], scenarioOf(change));
  return expectation.kind === 'cannot-meet' ? null : expectation.answers;
}

describe('callers of the recorded decision', () => {
  it.each(['fresh-id', 'second-session'] as const)(
    '%s ends where the same again ends',
    (caller) => {
      const shown = (by: CallerBehaviour) =>
        everyCell((cls, kill) => ended(declarations[cls], { kill, caller: by }));
      expect(shown(caller)).toEqual(shown('same-again'));
    },
  );

  it('a second session is a storm of two that does not overlap recovery', () => {
    const at = (caller: CallerBehaviour, more: Partial<Scenario> = {}) =>
      ended(declarations.bound, { kill: 'before_wal', caller, ...more });
    const lost = { fault: { fault: 'request-lost', phase: 'caller' } } as const;
    const cut = { fault: { fault: 'partition', phase: 'caller' } } as const;
    expect([at('second-session'), at('storm')]).toEqual(['A0 → H1', 'A0 or H1 → H1']);
    // What is proven absent is sent again by whoever comes next.
    expect(at('same-again', lost)).toBe('A0 → A0');
    expect(at('second-session', lost)).toBe('A0 → A0 or H1');
    expect(at('second-session', cut)).toBe('A0 → A0 or H1');
  });

  it('who gives up leaves everything as recovery left it, and is answered nothing', () => {
    const shown = everyCell((cls, kill) => ended(declarations[cls], { kill, caller: 'gives-up' }));
    expect(shown).toEqual(fromRecovered((cell) => `${cell} → ${cell}`));
    expect(answersTo({ kill: 'before_wal', caller: 'gives-up' }, 'dedupes')).toEqual([]);
    // Nobody asked, so nobody was refused.
    const dead = { kill: 'before_wal', caller: 'gives-up', world: 'authority-revoked' } as const;
    expect(ended(declarations.dedupes, dead)).toBe('A0 → A0');
  });

  it('who gives up, and who asks for something else, leaves no send for a fault to meet', () => {
    const fault = { fault: 'reply-lost', phase: 'caller' } as const;
    for (const caller of ['gives-up', 'invented-reason', 'changed-amount'] as const) {
      expect(ended(declarations.dedupes, { kill: 'before_wal', caller, fault })).toBe(
        'cannot-meet',
      );
    }
  });
});

describe('a reason that no lease covers', () => {
  it('adds no effect and changes nothing about the recorded decision', () => {
    const shown = everyCell((cls, kill) =>
      ended(declarations[cls], { kill, caller: 'invented-reason' }),
    );
    expect(shown).toEqual(fromRecovered((cell) => `${cell} → ${cell}`));
  });

  it('waits for a person or is refused, and is never told that it happened', () => {
    for (const cls of classes) {
      const answers = answersTo({ kill: 'during_call:now', caller: 'invented-reason' }, cls);
      expect(answers).toContain('U');
      expect(answers).not.toContain('H');
    }
  });
});

describe('a second legitimate decision', () => {
  const caller = 'second-legitimate';

  it('happens, whatever became of the first, which ends where it would have ended', () => {
    const first = everyCell((cls, kill) => ended(declarations[cls], { kill, caller }));
    const alone = everyCell((cls, kill) => ended(declarations[cls], { kill }));
    expect(first).toEqual(alone);
    const second = everyCell((cls, kill) => endedSecond(declarations[cls], { kill, caller }));
    expect(second).toEqual(fromRecovered(() => 'H1'));
    const late = { kill: 'during_call:now', caller, world: 'long-outage' } as const;
    expect([ended(declarations.dedupes, late), endedSecond(declarations.dedupes, late)]).toEqual([
      'U1 → U1',
      'H1',
    ]);
  });

  it('is refused under a dead lease', () => {
    const shown = everyCell((cls, kill) =>
      endedSecond(declarations[cls], { kill, caller, world: 'authority-revoked' }),
    );
    expect(shown).toEqual(fromRecovered(() => 'R0'));
  });

  it('is not tried where only one of the two stands on a stale premise', () => {
    const relying = withPremises(declarations.dedupes);
    const stale = { kill: 'before_wal', caller, world: 'premise-changed' } as const;
    expect(endedSecond(relying, stale)).toBe('cannot-meet');
    expect(endedSecond(relying, { ...stale, world: 'unrelated-change' })).toBe('H1');
  });

  it('gets through as little as anybody where nothing gets through any more', () => {
    const fault = { fault: 'partition-forever', phase: 'first-send' } as const;
    const cut = (cls: GuaranteeClass) =>
      endedSecond(declarations[cls], { kill: 'after_call_before_commit', caller, fault });
    expect(classes.map(cut)).toEqual(['U0', 'U0', 'U0', 'U0', 'U0', 'A0']);
  });
});

describe('two under a cap for one', () => {
  const caller = 'over-cap';

  it('are one, and none beside one that may be there', () => {
    const shown = everyCell((cls, kill) => [
      ended(declarations[cls], { kill, caller }),
      endedSecond(declarations[cls], { kill, caller }),
    ]);
    expect(shown).toEqual(
      fromRecovered((cell) => {
        const [first, second] = underCap[cell] ?? [];
        return [`${cell} → ${first}`, second];
      }),
    );
  });

  it('are none once the lease is dead', () => {
    const dead = { kill: 'before_wal', caller, world: 'authority-revoked' } as const;
    expect(ended(declarations.dedupes, dead)).toBe('A0 → R0');
    expect(endedSecond(declarations.dedupes, dead)).toBe('R0, 0 to 1 together');
    const there = { ...dead, kill: 'after_commit_before_ack' } as const;
    expect(ended(declarations.dedupes, there)).toBe('H1 → H1');
  });

  it('leave the first to be refused only where it was not there before', () => {
    expect(answersTo({ kill: 'before_wal', caller }, 'dedupes')).toEqual(['H', 'R']);
    expect(answersTo({ kill: 'during_call:now', caller }, 'dedupes')).toEqual(['H']);
    expect(answersTo({ kill: 'during_call:now', caller }, 'neither')).toEqual(['U']);
  });

  it('are not tried with a fault that may meet either, or that lasts', () => {
    for (const fault of [
      { fault: 'reply-lost', phase: 'caller' },
      { fault: 'partition-forever', phase: 'resend' },
      { fault: 'foreign-reply-sticky', phase: 'resend' },
    ] as const) {
      const kill = fault.phase === 'caller' ? 'before_wal' : 'during_call:never';
      expect(endedSecond(declarations.dedupes, { kill, caller, fault })).toBe('cannot-meet');
    }
  });
});
