import { describe, expect, it } from 'vitest';
import type { TargetDeclaration } from '../../adapters/target.ts';
import { baselineLacks } from './baseline-lacks.ts';
import { type ArmedFault, noFault, type Scenario } from './cell.ts';
import type { GuaranteeClass } from './expectation.ts';
import type { FindingName } from './findings.ts';
import { killPointNames as kills } from './kill-points.ts';
import { expectLacking } from './lacking.ts';
import type { RuleName } from './rules.ts';
import { plain, withPremises } from './testing/classes.ts';

const blind = withPremises(plain);
const lookup = { lagMs: 40, seesDeletions: true };
const day: TargetDeclaration = { ...blind, dedupe: { windowMs: 86_400_000 } };
const forever: TargetDeclaration = { ...blind, dedupe: { windowMs: 'forever' } };
const byClass: Readonly<Record<Exclude<GuaranteeClass, 'window-over'>, TargetDeclaration>> = {
  dedupes: day,
  fence: { ...blind, lookup, absence: 'fence' },
  bound: { ...blind, lookup, absence: { landingBoundMs: 80 } },
  unbounded: { ...blind, lookup },
  neither: blind,
  'neither-marked': { ...blind, noReturnMark: true },
};
const { fence, bound, unbounded } = byClass;

interface Cell extends Partial<Omit<Scenario, 'fault'>> {
  readonly kill: Scenario['kill'];
  readonly fault?: ArmedFault;
}

/** The findings, or that the cell is left out. */
function expected(
  declaration: TargetDeclaration,
  gate: keyof typeof baselineLacks | readonly RuleName[],
  cell: Cell,
): readonly FindingName[] | 'cannot-meet' {
  const lacks = typeof gate === 'string' ? baselineLacks[gate] : gate;
  const plain = { fault: noFault, recoveryKills: [], world: 'none', caller: 'same-again' } as const;
  const expectation = expectLacking(declaration, { ...plain, ...cell }, lacks);
  return expectation.kind === 'cannot-meet' ? 'cannot-meet' : expectation.findings;
}

describe('a job table that reruns work under a fresh key', () => {
  it('has a second effect wherever the first is there, or still lands', () => {
    for (const declaration of [day, ...Object.values(byClass)]) {
      for (const kill of [
        'during_call:now',
        'during_call:later',
        'after_call_before_commit',
      ] as const) {
        expect(expected(declaration, 'naive', { kill })).toEqual(['two-effects']);
      }
      for (const kill of ['before_wal', 'after_wal_before_call', 'during_call:never'] as const) {
        expect(expected(declaration, 'naive', { kill })).toEqual([]);
      }
      expect(expected(declaration, 'naive', { kill: 'after_commit_before_ack' })).toEqual([]);
    }
  });

  it('sends whatever has ended meanwhile', () => {
    const kill = 'during_call:never';
    expect(expected(day, 'naive', { kill, world: 'authority-revoked' })).toEqual([
      'dead-authority',
    ]);
    expect(expected(day, 'naive', { kill, world: 'premise-changed' })).toEqual(['stale-premise']);
    expect(expected(blind, 'naive', { kill: 'during_call:now', world: 'done-by-hand' })).toEqual([
      'two-effects',
      'stale-premise',
    ]);
    const done = 'after_commit_before_ack';
    expect(expected(day, 'naive', { kill: done, world: 'authority-expired' })).toEqual([]);
  });
});

describe('a job table with a stable key', () => {
  it('is sound about effects only inside the window of a service that knows keys', () => {
    const kill = 'during_call:now';
    expect(expected(day, 'key-only', { kill })).toEqual([]);
    expect(expected(day, 'key-only', { kill, world: 'long-outage' })).toEqual(['two-effects']);
    expect(expected(forever, 'key-only', { kill, world: 'long-outage' })).toEqual([]);
    expect(expected(blind, 'key-only', { kill })).toEqual(['two-effects']);
    expect(expected(bound, 'key-only', { kill })).toEqual(['two-effects']);
  });

  it('has one effect where the late request comes to a service that has just seen its key', () => {
    const cell = { kill: 'during_call:later', world: 'long-outage' } as const;
    expect(expected(day, 'key-only', cell)).toEqual([]);
  });

  it('swallows a second decision and calls it done', () => {
    const cell = { kill: 'before_wal', caller: 'second-legitimate' } as const;
    expect(expected(day, 'key-only', cell)).toEqual(['lost-effect', 'phantom']);
    expect(expected(blind, 'key-only', { ...cell, kill: 'during_call:now' })).toEqual([
      'two-effects',
      'lost-effect',
      'phantom',
    ]);
  });

  it('takes whatever is asked for the same for what it did', () => {
    for (const caller of ['changed-amount', 'invented-reason'] as const) {
      const cell = { kill: 'after_commit_before_ack', caller } as const;
      expect(expected(day, 'key-only', cell)).toEqual(['wrong-substance']);
    }
  });

  it('keeps one cap by losing the second decision, and says of it that it happened', () => {
    const cell = { kill: 'before_wal', caller: 'over-cap' } as const;
    expect(expected(day, 'key-only', cell)).toEqual(['phantom']);
  });

  it('believes an answer about somebody else’s effect', () => {
    const fault = { fault: 'foreign-reply', phase: 'first-send' } as const;
    const kill = 'after_commit_before_ack';
    expect(expected(day, 'key-only', { kill, fault })).toEqual(['wrong-entity']);
    // Nothing else ever speaks of it, so that what it says is a guess too.
    expect(expected(blind, 'key-only', { kill, fault })).toEqual(['guessed', 'wrong-entity']);
  });

  it('stays at work for ever where no connection gets through', () => {
    const fault = { fault: 'partition-forever', phase: 'resend' } as const;
    const cell = { kill: 'after_wal_before_call', fault } as const;
    expect(expected(day, 'key-only', cell)).toEqual(['unknown-after-recovery']);
  });
});

describe('an outbox that delivers at least once', () => {
  it('has the effects of a stable key, and a second decision of its own', () => {
    expect(expected(day, 'queue', { kill: 'during_call:now' })).toEqual([]);
    expect(expected(unbounded, 'queue', { kill: 'during_call:now' })).toEqual(['two-effects']);
    const second = { kill: 'before_wal', caller: 'second-legitimate' } as const;
    expect(expected(day, 'queue', second)).toEqual([]);
  });

  it('delivers again under a lease that has died, and writes nothing new under one', () => {
    const world = 'authority-revoked';
    expect(expected(day, 'queue', { kill: 'before_wal', world })).toEqual(['dead-authority']);
    const done = { kill: 'after_commit_before_ack', world, caller: 'second-legitimate' } as const;
    expect(expected(day, 'queue', done)).toEqual([]);
  });

  it('does it once more for a reason that no lease covers', () => {
    const cell = { kill: 'after_commit_before_ack', caller: 'invented-reason' } as const;
    expect(expected(day, 'queue', cell)).toEqual(['two-effects', 'wrong-substance']);
  });

  it('spends beyond a cap', () => {
    const cell = { kill: 'before_wal', caller: 'over-cap' } as const;
    expect(expected(day, 'queue', cell)).toEqual(['over-cap']);
  });

  it('parks what it can’t deliver for a person', () => {
    const fault = { fault: 'partition-forever', phase: 'resend' } as const;
    expect(expected(day, 'queue', { kill: 'during_call:never', fault })).toEqual([]);
  });
});

describe('a job table that asks, checks and then calls', () => {
  const gate = 'hand-check';

  it('ties a sound gate wherever a look or a key decides', () => {
    for (const declaration of [day, forever, fence, bound, unbounded]) {
      for (const kill of kills.filter((point) => point !== 'during_call:later')) {
        for (const caller of ['same-again', 'fresh-id', 'gives-up', 'second-session'] as const) {
          expect(expected(declaration, gate, { kill, caller })).toEqual([]);
        }
        expect(expected(declaration, gate, { kill, caller: 'second-legitimate' })).toEqual([]);
        expect(expected(declaration, gate, { kill, caller: 'invented-reason' })).toEqual([]);
        expect(expected(declaration, gate, { kill, caller: 'changed-amount' })).toEqual([]);
      }
    }
  });

  it('sends again where nothing tells it not to', () => {
    expect(expected(blind, gate, { kill: 'during_call:now' })).toEqual(['two-effects']);
    expect(expected(blind, gate, { kill: 'during_call:later' })).toEqual(['two-effects']);
    expect(expected(blind, gate, { kill: 'during_call:never' })).toEqual([]);
  });

  it('takes the first absence for the last word, and whether it comes before what is late is nobody’s to say', () => {
    const kill = 'during_call:later';
    for (const declaration of [fence, bound, unbounded]) {
      expect(expected(declaration, gate, { kill })).toBe('cannot-meet');
    }
  });

  it('sends a key that is forgotten', () => {
    const world = 'long-outage';
    expect(expected(day, gate, { kill: 'during_call:now', world })).toEqual(['two-effects']);
    expect(expected(bound, gate, { kill: 'during_call:now', world })).toEqual([]);
  });

  it('refuses over an effect that is there, where nothing could be asked', () => {
    const world = 'authority-revoked';
    expect(expected(day, gate, { kill: 'during_call:now', world })).toEqual([
      'guessed',
      'silent-loss',
    ]);
    expect(expected(blind, gate, { kill: 'after_call_before_commit', world })).toEqual([
      'guessed',
      'silent-loss',
    ]);
    expect(expected(blind, gate, { kill: 'during_call:never', world })).toEqual(['guessed']);
    expect(expected(bound, gate, { kill: 'during_call:now', world })).toEqual([]);
    expect(expected(unbounded, gate, { kill: 'during_call:never', world })).toEqual(['guessed']);
  });

  it('refuses with a reason where nothing was sent and something has ended', () => {
    for (const world of ['authority-expired', 'done-by-hand', 'premise-changed'] as const) {
      for (const declaration of Object.values(byClass)) {
        expect(expected(declaration, gate, { kill: 'before_wal', world })).toEqual([]);
      }
    }
  });

  it('relies on a fact that came back to what it was, and not on one that was touched', () => {
    const kill = 'during_call:never';
    const back = 'premise-changed-and-back:value';
    expect(expected(blind, gate, { kill, world: back })).toEqual([]);
    const touched = 'premise-changed-and-back:version';
    expect(expected(blind, gate, { kill, world: touched })).toEqual(['guessed']);
  });

  it('does again what a person undid, unless a look or a key shows that it was there', () => {
    const cell = { kill: 'during_call:now', world: 'undone-by-hand' } as const;
    expect(expected(blind, gate, cell)).toEqual(['two-effects']);
    expect(expected(bound, gate, cell)).toEqual([]);
    expect(expected(day, gate, cell)).toEqual([]);
  });

  it('spends beyond a cap', () => {
    const cell = { kill: 'during_call:now', caller: 'over-cap' } as const;
    expect(expected(bound, gate, cell)).toEqual(['over-cap']);
    expect(expected(blind, gate, cell)).toEqual(['two-effects', 'over-cap']);
  });
});

describe('other gates that lack rules', () => {
  it('never act, and nothing happens', () => {
    expect(expected(day, 'refuse-all', { kill: 'before_wal' })).toEqual([
      'lost-effect',
      'needless-refusal',
    ]);
    expect(expected(day, 'refuse-all', { kill: 'during_call:now' })).toBe('cannot-meet');
  });

  it('have one effect more a resend, where only the key is not stable', () => {
    const fresh: readonly RuleName[] = ['stable-key'];
    expect(expected(day, fresh, { kill: 'during_call:now' })).toEqual(['two-effects']);
    expect(expected(day, fresh, { kill: 'after_wal_before_call' })).toEqual([]);
    expect(expected(day, fresh, { kill: 'before_wal' })).toEqual([]);
    const fault = { fault: 'reply-lost', phase: 'caller' } as const;
    expect(expected(day, fresh, { kill: 'before_wal', fault })).toEqual(['two-effects']);
    expect(expected(blind, fresh, { kill: 'during_call:now' })).toEqual([]);
  });

  it('keep more than those that are played, and are not derived', () => {
    const kill = 'during_call:now';
    expect(expected(day, ['payload-bound'], { kill })).toBe('cannot-meet');
    const asks: readonly RuleName[] = ['no-blind-resend'];
    expect(expected(day, asks, { kill })).toEqual([]);
    expect(expected(bound, asks, { kill })).toBe('cannot-meet');
    expect(expected(day, asks, { kill, world: 'authority-revoked' })).toBe('cannot-meet');
    expect(expected(day, asks, { kill, world: 'long-outage' })).toBe('cannot-meet');
    expect(expected(day, asks, { kill, caller: 'over-cap' })).toBe('cannot-meet');
  });
});

describe('a service that does it once, by its own state, and guards what it was decided on', () => {
  const once = { ...bound, onceByState: true, guardsPremises: true };

  it('has no second effect, and tells only those of theirs who carry the stamp that is on it', () => {
    const kill = 'during_call:now';
    expect(expected(once, 'naive', { kill })).toEqual(['unknown-after-recovery']);
    for (const gate of ['key-only', 'queue', 'hand-check'] as const) {
      expect(expected(once, gate, { kill })).toEqual([]);
    }
    for (const gate of ['naive', 'key-only', 'queue', 'hand-check'] as const) {
      expect(expected(once, gate, { kill: 'during_call:never' })).toEqual([]);
    }
  });

  it('lets whatever comes first land, and what comes late not', () => {
    const kill = 'during_call:later';
    expect(expected(once, 'naive', { kill })).toEqual([]);
    expect(expected(once, 'key-only', { kill })).toEqual([]);
  });

  it.each(['done-by-hand', 'premise-changed'] as const)(
    'refuses whoever sends all the same after %s, and is asked again by who believes no refusal',
    (world) => {
      const cell = { kill: 'after_wal_before_call', world } as const;
      expect(expected(once, 'naive', cell)).toEqual(['unknown-after-recovery', 'stale-premise']);
      expect(expected(once, 'key-only', cell)).toEqual(['unknown-after-recovery', 'stale-premise']);
      expect(expected(once, 'queue', cell)).toEqual(['needless-ambiguity', 'stale-premise']);
      expect(expected(once, 'hand-check', cell)).toEqual([]);
    },
  );

  it('refuses what was on its way when it changed', () => {
    const cell = { kill: 'during_call:later', world: 'premise-changed' } as const;
    expect(expected(once, 'key-only', cell)).toEqual(['unknown-after-recovery', 'stale-premise']);
  });

  it('leaves out a second decision, which is about something else', () => {
    const second = { kill: 'before_wal', caller: 'second-legitimate' } as const;
    expect(expected(once, 'naive', second)).toBe('cannot-meet');
  });
});

describe('what is left out', () => {
  it('is what races, and what recovery has no points for', () => {
    for (const gate of ['naive', 'key-only', 'queue', 'hand-check'] as const) {
      expect(expected(day, gate, { kill: 'before_wal', caller: 'storm' })).toBe('cannot-meet');
      expect(expected(day, gate, { kill: 'during_call:now', recoveryKills: ['owned'] })).toBe(
        'cannot-meet',
      );
    }
  });

  it('is a fault that finds nothing to meet', () => {
    const fault = { fault: 'request-lost', phase: 'resend' } as const;
    const kill = 'during_call:now';
    expect(expected(day, 'hand-check', { kill, fault })).toEqual([]);
    expect(expected(bound, 'hand-check', { kill, fault })).toBe('cannot-meet');
    const caller = { fault: 'request-lost', phase: 'caller' } as const;
    expect(expected(day, 'naive', { kill, fault: caller })).toBe('cannot-meet');
  });

  it('is nothing else, of what has no fault and races nowhere', () => {
    for (const gate of ['naive', 'key-only', 'queue'] as const) {
      for (const declaration of Object.values(byClass)) {
        for (const kill of kills) {
          expect(expected(declaration, gate, { kill })).not.toBe('cannot-meet');
        }
      }
    }
  });
});
