import { describe, expect, it } from 'vitest';
import type { TrialRecord } from '../model/results.ts';
import { declarations } from '../model/testing/classes.ts';
import type { Exercise } from './exercised.ts';
import { judgeStage, nextStep, type Stage, type StageTrial } from './judge-stage.ts';

const during = 'reference/mine/during_call:now/none/none/same-again';

function trial(
  verdict: TrialRecord['verdict'],
  exercised: readonly Exercise[] = [],
  findings: readonly string[] = [],
): StageTrial {
  const record = {
    id: `${during}/1`,
    verdict,
    findings: findings.map((finding) => ({ finding, message: 'seen' })),
    reason: null,
  } as unknown as TrialRecord;
  return { record, exercised, premisesMisjudged: false };
}

const stage = (
  cls: keyof typeof declarations,
  trials: readonly StageTrial[],
  without: Stage['without'] = [],
): Stage => ({ declaration: declarations[cls], trials, without });

describe('what the trials of a declaration prove', () => {
  it('is the declaration, where everything holds and what it rests on was exercised', () => {
    const proven = stage('dedupes', [trial('holds', ['dedupe']), trial('holds')]);
    expect(judgeStage(proven)).toEqual({ kind: 'holds' });
    expect(nextStep([proven])).toEqual({ kind: 'proven', stage: proven });
  });

  it('is less where a capability was never exercised, however green everything is', () => {
    const green = stage('dedupes', [trial('holds'), trial('holds')]);
    expect(judgeStage(green)).toEqual({ kind: 'reduce', drop: ['dedupe'], by: 'not-exercised' });
    expect(nextStep([green])).toEqual({ kind: 'run', without: ['dedupe'] });
  });

  it('is less where a capability was refuted, also when it was exercised elsewhere', () => {
    const refuted = stage('dedupes', [
      trial('holds', ['dedupe']),
      trial('violated', [], ['two-effects']),
    ]);
    expect(judgeStage(refuted)).toEqual({ kind: 'reduce', drop: ['dedupe'], by: 'refuted' });
  });

  it('is nothing where what declares nothing is refuted', () => {
    const unsafe = stage('neither', [trial('holds'), trial('violated', [], ['phantom'])]);
    expect(nextStep([unsafe])).toEqual({ kind: 'nothing' });
  });

  it.each([
    ['a trial proved nothing', [trial('holds', ['dedupe']), trial('inconclusive')]],
    ['a trial did not run', [trial('holds', ['dedupe']), trial('not-run')]],
    ['there is no trial', []],
  ] as const)('is not told where %s', (_what, trials) => {
    expect(judgeStage(stage('dedupes', trials)).kind).toBe('inconclusive');
  });
});
