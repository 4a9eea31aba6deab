import { describe, expect, it } from 'vitest';
import type { FindingName } from '../model/findings.ts';
import type { TrialRecord } from '../model/results.ts';
import { declarations } from '../model/testing/classes.ts';
import { faulted } from './conditions.ts';
import { diagnose } from './diagnose.ts';

const targets = [
  { name: 'keyed', declaration: { ...declarations.dedupes, dedupe: { windowMs: 86_400_000 } } },
];

function condemned(scenario: string, ...findings: readonly FindingName[]): TrialRecord {
  return {
    id: `mine/keyed/${scenario}/1`,
    verdict: 'violated',
    findings: findings.map((finding) => ({ finding, message: '' })),
    o1: null,
    o2: null,
  } as unknown as TrialRecord;
}

const rulesOf = (...trials: readonly TrialRecord[]) =>
  diagnose({ trials, targets }).map(({ rule }) => rule);

describe('a diagnosis', () => {
  it('takes one crash after the window for the window', () => {
    expect(
      rulesOf(condemned('during_call:now/none/long-outage/same-again', 'two-effects'))[0],
    ).toBe('window-kept');
  });

  it('takes the same in every crash for the key', () => {
    const kills = ['during_call:now', 'during_call:later', 'after_call_before_commit'];
    const trials = kills.flatMap((kill) =>
      ['none', 'reply-lost@resend', 'request-lost@resend', 'partition@resend'].map((fault) =>
        condemned(`${kill}/${fault}/none/same-again`, 'two-effects'),
      ),
    );
    const [first, second] = rulesOf(
      condemned('during_call:now/none/long-outage/same-again', 'two-effects'),
      ...trials,
    );
    expect([first, second]).toEqual(['stable-key', 'window-kept']);
  });

  it('names a rule once, with every trial that speaks for it', () => {
    const [only] = diagnose({
      trials: [
        condemned('during_call:now/none/authority-revoked/same-again', 'dead-authority'),
        condemned('during_call:never/none/authority-expired/same-again', 'dead-authority'),
      ],
      targets,
    });
    expect(only?.rule).toBe('authority-rechecked');
    expect(only?.trials).toHaveLength(2);
    expect(only?.findings).toEqual(['dead-authority']);
  });

  it('leaves out what holds, and what proved nothing', () => {
    const holds = { ...condemned('before_wal/none/none/same-again'), verdict: 'holds' } as const;
    expect(rulesOf(holds)).toEqual([]);
  });
});

describe('a condition', () => {
  it('that no cell could meet is refused', () => {
    expect(() => faulted('key-expired')).toThrow(
      /expected the beginning of none, .*got key-expired/,
    );
  });
});
