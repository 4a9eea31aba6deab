import { describe, expect, it } from 'vitest';
import type { TargetDeclaration } from '../../adapters/target.ts';
import { noFault, type Scenario } from './cell.ts';
import { expectLacking } from './lacking.ts';
import type { RuleName } from './rules.ts';

const blind: TargetDeclaration = {
  dedupe: null,
  onceByState: false,
  lookup: null,
  absence: 'never',
  storedErrorFinal: false,
  noReturnMark: false,
  premises: [],
  clientTimeoutMs: 200,
};
const keyed: TargetDeclaration = { ...blind, dedupe: { windowMs: 86_400_000 } };

function expected(
  declaration: TargetDeclaration,
  lacks: readonly RuleName[],
  change: Partial<Scenario> & Pick<Scenario, 'kill'>,
): readonly string[] | 'cannot-meet' {
  const plain = { fault: noFault, recoveryKills: [], world: 'none', caller: 'same-again' } as const;
  const expectation = expectLacking(declaration, { ...plain, ...change }, lacks);
  return expectation.kind === 'cannot-meet' ? 'cannot-meet' : expectation.findings;
}

describe('what must be found against a gate that lacks rules', () => {
  const naive: readonly RuleName[] = ['stable-key', 'no-blind-resend', 'payload-bound'];
  const keyOnly: readonly RuleName[] = ['no-blind-resend', 'payload-bound'];

  it('is a second effect where the first had landed, unless the key makes the repeat harmless', () => {
    expect(expected(keyed, naive, { kill: 'during_call:now' })).toEqual(['two-effects']);
    expect(expected(keyed, keyOnly, { kill: 'during_call:now' })).toEqual([]);
    expect(expected(blind, keyOnly, { kill: 'during_call:now' })).toEqual(['two-effects']);
    expect(expected(blind, keyOnly, { kill: 'during_call:never' })).toEqual([]);
  });

  it('is a false answer to whoever asks for another amount', () => {
    const changed = { kill: 'after_commit_before_ack', caller: 'changed-amount' } as const;
    expect(expected(keyed, keyOnly, changed)).toEqual(['wrong-substance']);
  });

  it('is that nothing happens, where the gate never acts', () => {
    const never: readonly RuleName[] = ['effects-performed'];
    expect(expected(keyed, never, { kill: 'before_wal' })).toEqual([
      'lost-effect',
      'needless-refusal',
    ]);
    expect(expected(keyed, never, { kill: 'during_call:now' })).toBe('cannot-meet');
  });

  it('is one effect more a resend, where only the key is not stable', () => {
    const fresh: readonly RuleName[] = ['stable-key'];
    expect(expected(keyed, fresh, { kill: 'during_call:now' })).toEqual(['two-effects']);
    expect(expected(keyed, fresh, { kill: 'after_wal_before_call' })).toEqual([]);
    expect(expected(keyed, fresh, { kill: 'before_wal' })).toEqual([]);
    expect(
      expected(keyed, fresh, {
        kill: 'before_wal',
        fault: { fault: 'reply-lost', phase: 'caller' },
      }),
    ).toEqual(['two-effects']);
    expect(expected(blind, fresh, { kill: 'during_call:now' })).toEqual([]);
  });

  it('is not guessed: what is not derived is left out with a reason', () => {
    expect(expected(keyed, naive, { kill: 'before_wal', caller: 'storm' })).toBe('cannot-meet');
    expect(expected(keyed, naive, { kill: 'before_wal', world: 'long-outage' })).toBe(
      'cannot-meet',
    );
    expect(expected(keyed, ['payload-bound'], { kill: 'before_wal' })).toBe('cannot-meet');
  });
});
