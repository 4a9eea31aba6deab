import { describe, expect, it } from 'vitest';
import type { TargetDeclaration } from '../../adapters/target.ts';
import { noFault, type Scenario } from './cell.ts';
import { expectLacking } from './lacking.ts';
import { declarations } from './testing/classes.ts';

const { neither, dedupes, bound, unbounded, fence } = declarations;

function found(declaration: TargetDeclaration, scenario: Partial<Scenario>): string {
  const expectation = expectLacking(
    declaration,
    {
      kill: 'after_wal_before_call',
      recoveryKills: [],
      fault: noFault,
      world: 'none',
      caller: 'same-again',
      ...scenario,
    },
    ['owner-proven-dead'],
  );
  return expectation.kind === 'cannot-meet' ? 'cannot-meet' : expectation.findings.join(' ');
}

describe('a gate that takes a paused owner for a dead one', () => {
  const paused = true;

  it('has two effects where absence counts from a death that never was', () => {
    expect(found(bound, { paused })).toBe(
      'two-effects unknown-after-recovery guessed sent-uninvited',
    );
  });

  it('has one where the key stops the second send, and has sent beside the owner', () => {
    expect(found(dedupes, { paused })).toBe('unknown-after-recovery sent-uninvited');
  });

  it('bothers a person where nothing can be known', () => {
    for (const declaration of [neither, unbounded]) {
      expect(found(declaration, { paused })).toBe('unknown-after-recovery needless-ambiguity');
    }
  });

  it('only leaves the first without an answer where the effect was there to be found', () => {
    const kill = 'after_call_before_commit';
    for (const declaration of [bound, unbounded, fence]) {
      expect(found(declaration, { kill, paused })).toBe('unknown-after-recovery');
    }
  });

  it('breaks nothing once the work is settled and owned by nobody', () => {
    expect(found(bound, { kill: 'after_commit_before_ack', paused })).toBe('');
  });

  it('is not tried where nothing was derived', () => {
    expect(found(fence, { paused })).toBe('cannot-meet');
    expect(found(bound, {})).toBe('cannot-meet');
    expect(found(bound, { rivalAt: 'owned' })).toBe('cannot-meet');
    expect(found(bound, { paused, caller: 'storm' })).toBe('cannot-meet');
  });
});
