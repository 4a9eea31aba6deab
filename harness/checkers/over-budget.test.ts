import { describe, expect, it } from 'vitest';
import { judge } from './judge.ts';
import { toHistory } from './plant.ts';
import { alter } from './plant-change.ts';
import { killedInRecovery, turnedAway } from './planted-sends.ts';

describe('the budget of looks', () => {
  it.each([
    [2, []],
    [3, ['over-budget']],
  ] as const)('of two allows no third call in vain: %i made', (times, findings) => {
    const trial = turnedAway(killedInRecovery, times);
    const verdict = judge(trial.spec, toHistory(trial), []);
    expect(verdict.findings.map(({ finding }) => finding)).toEqual(findings);
  });

  it('counts nothing where premises are read, which find the door shut as well', () => {
    const premises = [{ kind: 'version-unchanged', fact: 'payment', value: 1 }] as const;
    const trial = alter(turnedAway(killedInRecovery, 9), 'sent', (event) =>
      event.message.type === 'submit'
        ? { ...event, message: { ...event.message, premises } }
        : event,
    );
    const verdict = judge(trial.spec, toHistory(trial), []);
    expect(verdict.findings.map(({ finding }) => finding)).not.toContain('over-budget');
  });
});
