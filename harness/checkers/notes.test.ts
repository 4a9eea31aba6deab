import { describe, expect, it } from 'vitest';
import type { ObservedEvent } from '../model/history.ts';
import type { TrialSpec } from '../model/trial.ts';
import { judge } from './judge.ts';
import { type PlantedTrial, plantSound, toHistory } from './plant.ts';
import { alter, insertBefore } from './plant-change.ts';

const sound = plantSound({ tier: 'keyed', kill: 'during_call:now' });
const judged = (trial: PlantedTrial) => judge(trial.spec, toHistory(trial), []);

function misbehaving(
  what: 'nonsense' | 'flood',
  incarnations: readonly number[],
  detail: string,
): PlantedTrial {
  const events = incarnations.map(
    (incarnation): ObservedEvent => ({ type: 'subject-misbehaved', incarnation, what, detail }),
  );
  return insertBefore(sound, (event) => event.type === 'settled', events);
}

describe('a trial whose subject misbehaves and breaks no promise', () => {
  it('holds, with a note of how often nonsense was spoken', () => {
    const verdict = judged(misbehaving('nonsense', [2, 2, 2], 'no JSON: log'));
    expect(verdict).toMatchObject({ verdict: 'holds', findings: [], meetsExpectation: true });
    expect(verdict.notes).toEqual(['the subject spoke nonsense 3 times']);
    expect(judged(misbehaving('nonsense', [2], 'no JSON: log')).notes).toEqual([
      'the subject spoke nonsense once',
    ]);
  });

  it('gives a lower bound where a history quotes no more of it', () => {
    const verdict = judged(misbehaving('nonsense', [2, 2, 2, 2, 2, 9], 'no JSON: log'));
    expect(verdict.notes).toEqual(['the subject spoke nonsense at least 6 times']);
  });

  it('holds, with a note of each flood', () => {
    const detail = 'stdout: more than 1 MiB; the rest is thrown away';
    expect(judged(misbehaving('flood', [2, 9], detail)).notes).toEqual([
      `the subject flooded 2 times: ${detail}`,
    ]);
  });
});

describe('a trial that ends where the table does not put it', () => {
  const early = plantSound({ tier: 'keyed', kill: 'before_wal' });
  // A gate whose recovery sends what was recorded and never attempted: nobody is wronged by it.
  const ahead: PlantedTrial = {
    spec: early.spec,
    events: alter(
      alter(
        alter(
          plantSound({ tier: 'keyed', kill: 'after_wal_before_call' }),
          'kill-armed',
          (event) => ({
            ...event,
            point: 'before_wal',
            attempt: 0,
          }),
        ),
        'point-reached',
        (event) => ({ ...event, point: 'before_wal' }),
      ),
      'said',
      (event) =>
        event.message.type === 'at'
          ? { ...event, message: { ...event.message, point: 'before_wal', attempt: 0 } }
          : event,
    ).events,
  };

  it('says so where no promise was broken', () => {
    expect(judged(ahead)).toMatchObject({
      verdict: 'holds',
      findings: [],
      notes: ['ended at H1→H1 where A0→H1 is demanded; no promise was broken'],
    });
  });

  it('says nothing of a gate that is known to lack a rule', () => {
    const { gate } = ahead.spec;
    const spec: TrialSpec = { ...ahead.spec, gate: { ...gate, lacks: ['no-blind-resend'] } };
    expect(judged({ ...ahead, spec }).notes).toEqual([]);
  });

  it('says nothing beside a finding', () => {
    const missed = alter(ahead, 'control', () => null);
    expect(judged(missed)).toMatchObject({ verdict: 'inconclusive', notes: [] });
  });
});
