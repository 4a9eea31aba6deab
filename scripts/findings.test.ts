import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findingNames, missNames } from '../harness/model/findings.ts';
import type { Results, TrialRecord } from '../harness/model/results.ts';
import { findShown, judgePlanted, renderDoc } from './findings.ts';

const rows = judgePlanted();

describe('the table of findings', () => {
  it('has a row for every finding, condemned on planted histories or with a reason why not yet', () => {
    expect(rows.map(({ name }) => name)).toEqual([...findingNames, ...missNames]);
    for (const { name, planted, notYet } of rows) {
      expect(planted.length === 0, name).toBe(notYet !== null);
      expect(planted.filter(({ condemned }) => !condemned)).toEqual([]);
    }
  });

  it('is what docs/findings.md says; `npm run findings -- --write` renders it', () => {
    const path = new URL('../docs/findings.md', import.meta.url);
    expect(readFileSync(path, 'utf8')).toBe(renderDoc(rows));
  });

  it('names the subject a run condemned, and never one of an inconclusive trial', () => {
    const inconclusive = record('a/t/before_wal/none/none/same-again/1', 'inconclusive');
    const violated = record('b/t/before_wal/none/none/same-again/1', 'violated');
    expect(findShown('two-effects', results([inconclusive, violated]))).toEqual({
      kind: 'condemned',
      gate: 'b',
      trialId: violated.id,
    });
    expect(findShown('two-effects', results([inconclusive])).kind).toBe('not-yet');
  });

  it('gives a reason where no subject was condemned', () => {
    for (const { name } of rows) {
      const shown = findShown(name, null);
      expect(shown.kind === 'not-yet' && shown.reason.length > 0, name).toBe(true);
    }
  });
});

function record(id: string, verdict: 'violated' | 'inconclusive'): TrialRecord {
  return {
    id,
    seed: 1,
    verdict,
    meetsExpectation: false,
    findings: [{ finding: 'two-effects', message: 'two' }],
    expectedFindings: [],
    notes: [],
    o1: null,
    o2: null,
    demandedO1: null,
    demandedO2: null,
    second: null,
    demandedSecond: null,
    recoveryMs: null,
    reason: null,
    durationMs: 1,
    historySha256: null,
    shapeSha256: null,
  };
}

function results(trials: readonly TrialRecord[]): Results {
  return {
    format: 1,
    tool: { name: 'killpoint', version: '0' },
    environment: { node: '20', platform: 'linux', cpus: 1, versions: {} },
    matrix: 'test',
    plan: {
      from: 'ids',
      trialsPerCell: null,
      exclusions: [],
      idsSha256: '',
      shard: null,
      share: null,
    },
    gates: [],
    targets: [],
    command: 'test',
    seed: 1,
    workers: 1,
    startedAt: '2020-01-01T00:00:00.000Z',
    durationMs: 1,
    finished: true,
    memory: null,
    blindSpots: [],
    counts: { planned: 1, holds: 0, violated: 1, inconclusive: 0, notRun: 0, excluded: 0 },
    trials: [...trials],
  };
}
