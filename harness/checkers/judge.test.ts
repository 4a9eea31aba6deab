import { describe, expect, it } from 'vitest';
import { type FindingName, findingNames, isMiss, missNames } from '../model/findings.ts';
import type { TrialSpec } from '../model/trial.ts';
import type { Checker } from './checker.ts';
import { checkers, notYet } from './index.ts';
import { judge, judgeWith } from './judge.ts';
import { plantSound, toHistory } from './plant.ts';
import { without } from './plant-change.ts';
import { plantedHistories, soundHistories } from './planted.ts';
import { plantedNotes } from './planted-sends.ts';

const sound = plantSound({ tier: 'keyed', kill: 'during_call:now' });
const soundHistory = toHistory(sound);

describe('the registry', () => {
  it('holds every finding exactly once, or says why it is not judged yet', () => {
    const judged = checkers.map((checker) => checker.finding);
    expect(new Set(judged).size).toBe(judged.length);
    for (const name of [...findingNames, ...missNames]) {
      expect(judged.includes(name), name).toBe(notYet[name] === undefined);
    }
  });

  it('has a planted history for every finding it judges', () => {
    const planted = new Set(plantedHistories.map(({ finding }) => finding));
    expect(checkers.map(({ finding }) => finding).filter((name) => !planted.has(name))).toEqual([]);
  });
});

describe('a sound history', () => {
  it('exists for every cell of one decision in a world that stands still, and beside them for others', () => {
    // 7 kill points without a fault and 48 with one of a keyed target, 7 and 18 of a blind one; the
    // changed amount meets no fault of the caller; a storm comes twice.
    const grid = 3 * (7 + 48) - 6 + (7 + 48) + 3 * (7 + 18) - 6 + (7 + 18);
    expect(soundHistories.length).toBeGreaterThan(grid + 250);
  });

  it.each(soundHistories)('holds: $title', ({ spec, history }) => {
    const verdict = judge(spec, history, []);
    expect(verdict.findings).toEqual([]);
    expect(verdict).toEqual({ verdict: 'holds', findings: [], notes: [], meetsExpectation: true });
  });
});

describe('a planted history', () => {
  it.each(plantedHistories)('is condemned for $finding: $title', (planted) => {
    const { finding, alongside, spec, history } = planted;
    const verdict = judge(spec, history, []);
    const names = new Set(verdict.findings.map((found) => found.finding));
    expect(names).toEqual(new Set([finding, ...alongside]));
    expect(verdict.verdict).toBe(isMiss(finding) ? 'inconclusive' : 'violated');
    expect(verdict.meetsExpectation).toBe(false);
  });

  it('rests each finding on events of its history, and says something', () => {
    for (const { spec, history } of plantedHistories) {
      for (const { message, events } of judge(spec, history, []).findings) {
        expect(message.length).toBeGreaterThan(20);
        for (const n of events) expect(history.events[n - 1]?.n).toBe(n);
      }
    }
  });

  it('meets the expectation when exactly its findings are expected', () => {
    for (const { finding, alongside, spec, history } of plantedHistories) {
      const expected = [finding, ...alongside].filter((name): name is FindingName => !isMiss(name));
      const oneMore = findingNames.filter((name) => !expected.includes(name)).slice(0, 1);
      expect(judge(spec, history, expected).meetsExpectation).toBe(!isMiss(finding));
      expect(judge(spec, history, [...expected, ...oneMore]).meetsExpectation).toBe(false);
    }
  });
});

describe('the judge', () => {
  it.each(plantedNotes)('only notes a repeat under one constant key inside its window', (noted) => {
    const verdict = judge(noted.spec, toHistory(noted), []);
    expect(verdict.findings).toEqual([]);
    expect(verdict.notes).toHaveLength(1);
    expect(verdict.verdict).toBe('holds');
  });

  it('does not meet an expectation of a finding that did not come', () => {
    const verdict = judge(sound.spec, soundHistory, ['two-effects']);
    expect(verdict).toMatchObject({ verdict: 'holds', meetsExpectation: false });
  });

  it('calls a trial inconclusive when a checker throws, even beside a violation', () => {
    const broken: Checker = {
      finding: 'phantom',
      check: () => {
        throw new Error('planted bug');
      },
    };
    const verdict = judgeWith([broken], { spec: sound.spec, history: soundHistory, expected: [] });
    expect(verdict.verdict).toBe('inconclusive');
    expect(verdict.meetsExpectation).toBe(false);
    expect(verdict.findings[0]).toMatchObject({ finding: 'evidence-cut' });
    expect(verdict.findings[0]?.message).toContain('phantom');
  });

  it('does not judge a trial by the history of another', () => {
    const other = plantSound({ tier: 'keyed', kill: 'before_wal' });
    expect(judge(other.spec, soundHistory, []).verdict).toBe('inconclusive');
  });

  it('demands no call of a gate that is known to perform nothing', () => {
    const settled = plantSound({ tier: 'keyed', kill: 'after_commit_before_ack' });
    const calledNobody = without(
      without(settled, 'request-whole', (event) => event.incarnation === 1),
      'request-began',
      (event) => event.incarnation === 1,
    );
    const { gate } = settled.spec;
    const idle: TrialSpec = { ...settled.spec, gate: { ...gate, lacks: ['effects-performed'] } };
    const findingsOf = (spec: TrialSpec) =>
      judge(spec, toHistory({ ...calledNobody, spec }), []).findings.map((f) => f.finding);
    expect(findingsOf(settled.spec)).toContain('kill-missed');
    expect(findingsOf(idle)).not.toContain('kill-missed');
  });

  it('demands nothing of a gate that lacks a rule where a sound one can not come', () => {
    const blind = plantSound({ tier: 'blind', kill: 'during_call:now' });
    const spec = {
      ...blind.spec,
      cell: { ...blind.spec.cell, fault: { fault: 'request-lost', phase: 'resend' } as const },
    };
    const findingsOf = (judged: TrialSpec) =>
      judge(judged, { ...toHistory(blind), spec: judged }, []).findings.map((f) => f.finding);
    expect(findingsOf(spec)).toEqual(['fault-missed', 'evidence-cut']);
    expect(findingsOf({ ...spec, gate: { ...spec.gate, lacks: ['no-blind-resend'] } })).toEqual([
      'fault-missed',
    ]);
  });

  it('calls a cell that can not exist inconclusive', () => {
    const spec = {
      ...sound.spec,
      cell: { ...sound.spec.cell, fault: { fault: 'reply-lost', phase: 'caller' } as const },
    };
    expect(judge(spec, { ...soundHistory, spec }, []).verdict).toBe('inconclusive');
  });
});
