import { describe, expect, it } from 'vitest';
import { judge } from './judge.ts';
import { toHistory } from './plant.ts';
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
});
