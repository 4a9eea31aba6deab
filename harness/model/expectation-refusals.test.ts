/** What a definite refusal by the service's own rules leaves of a decision, for now and for good. */
import { describe, expect, it } from 'vitest';
import type { ArmedFault, CallerBehaviour } from './cell.ts';
import { type GuaranteeClass, guaranteeClasses } from './expectation.ts';
import type { KillPoint } from './kill-points.ts';
import { declarations, ended, endedSecond } from './testing/classes.ts';

const forNow: ArmedFault = { fault: 'refused-for-now', phase: 'first-send' };
const forGood: ArmedFault = { fault: 'refused-for-good', phase: 'first-send' };
const classes = guaranteeClasses.filter((cls) => cls !== 'window-over');

function endings(kill: KillPoint, fault: ArmedFault): Readonly<Record<string, string>> {
  return Object.fromEntries(
    classes.map((cls) => [cls, ended(declarations[cls], { kill, fault })] as const),
  );
}

function everyClass(ending: string): Readonly<Record<string, string>> {
  return Object.fromEntries(classes.map((cls) => [cls, ending]));
}

describe('a definite refusal', () => {
  it('settles what it answers, whatever else the service could be asked', () => {
    expect(endings('after_commit_before_ack', forNow)).toEqual(everyClass('A0 → H1'));
    expect(endings('after_commit_before_ack', forGood)).toEqual(everyClass('R0 → R0'));
  });

  it.each([forNow, forGood])(
    'is worth nothing to whoever died before it was recorded: %o',
    (fault) => {
      expect(endings('after_call_before_commit', fault)).toEqual({
        dedupes: 'H1 → H1',
        fence: 'A0 → H1',
        bound: 'A0 → H1',
        unbounded: 'U0 → U0',
        neither: 'U0 → U0',
        'neither-marked': 'U0 → U0',
      });
    },
  );

  it('meets nobody who died before the call had ended', () => {
    expect(new Set(Object.values(endings('during_call:now', forNow)))).toEqual(
      new Set(['cannot-meet']),
    );
  });

  it('settles the caller’s own attempt, and leaves the next of several to try again', () => {
    const { bound } = declarations;
    const meets = (fault: 'refused-for-now' | 'refused-for-good', caller: CallerBehaviour) =>
      ended(bound, { kill: 'before_wal', fault: { fault, phase: 'caller' }, caller });
    expect(meets('refused-for-now', 'same-again')).toBe('A0 → A0');
    expect(meets('refused-for-good', 'same-again')).toBe('A0 → R0');
    expect(meets('refused-for-now', 'storm')).toBe('A0 or H1 → A0 or H1');
    expect(meets('refused-for-good', 'storm')).toBe('A0 or R0 → R0');
  });

  it('lets a second decision pass, and no race be run with what is refused for good', () => {
    const scenario = { kill: 'after_commit_before_ack', fault: forGood } as const;
    const { neither } = declarations;
    expect(endedSecond(neither, { ...scenario, caller: 'second-legitimate' })).toBe('H1');
    expect(ended(neither, { ...scenario, caller: 'over-cap' })).toBe('cannot-meet');
  });
});

describe('work left half done', () => {
  it.each([...classes] satisfies readonly GuaranteeClass[])(
    'is to a gate an answer that was lost: %s',
    (cls) => {
      const of = (fault: 'half-done' | 'error-after-apply', kill: KillPoint) =>
        ended(declarations[cls], { kill, fault: { fault, phase: 'first-send' } });
      for (const kill of ['after_call_before_commit', 'after_commit_before_ack'] as const) {
        expect(of('half-done', kill)).toBe(of('error-after-apply', kill));
        expect(of('half-done', kill)).toMatch(/1/);
      }
    },
  );
});
