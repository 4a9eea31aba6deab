import { describe, expect, it } from 'vitest';
import type { TargetDeclaration } from '../../adapters/target.ts';
import { noFault, type Scenario } from '../model/cell.ts';
import { declarations, plain, withPremises } from '../model/testing/classes.ts';
import type { TrialSpec } from '../model/trial.ts';
import { createLateLanding, type LateLanding, landingTimeOf } from './late-landing.ts';

const lookup = { lagMs: 10, seesDeletions: true };
const bounded: TargetDeclaration = {
  ...withPremises(plain),
  dedupe: { windowMs: 86_400_000 },
  lookup,
  absence: { landingBoundMs: 80 },
};

function timeOf(
  declaration: TargetDeclaration,
  change: Partial<Scenario> & { readonly lateBeforeLook?: boolean } = {},
  keepsLocks = false,
) {
  const { lateBeforeLook = false, ...scenario } = change;
  const cell = {
    gate: 'reference',
    target: 'any',
    kill: 'during_call:later',
    recoveryKills: [],
    fault: noFault,
    world: 'none',
    caller: 'same-again',
    ...scenario,
  } as const;
  const spec = { declaration, cell, draws: { lateBeforeLook } } as unknown as TrialSpec;
  return landingTimeOf(spec, keepsLocks);
}

describe('when a late request lands', () => {
  it('is after recovery where nothing in it could have seen the request', () => {
    for (const cls of ['dedupes', 'neither', 'neither-marked'] as const) {
      expect(timeOf(declarations[cls]), cls).toBe('after-recovery');
    }
  });

  it('is after the first answer where whoever sends the key again has to wait for it', () => {
    expect(timeOf(declarations.dedupes, {}, true)).toBe('after-first-answer');
    expect(timeOf(declarations.dedupes, { kill: 'during_call:running' })).toBe(
      'after-first-answer',
    );
  });

  it('is within the bound where one is declared, after the first look where none is', () => {
    expect(timeOf(declarations.bound)).toBe('within-bound');
    expect(timeOf(declarations.unbounded)).toBe('after-first-look');
  });

  it('is drawn where it races with a fence', () => {
    expect(timeOf(declarations.fence, { lateBeforeLook: true })).toBe('within-bound');
    expect(timeOf(declarations.fence, { lateBeforeLook: false })).toBe('after-first-look');
  });

  it.each(['authority-revoked', 'premise-changed', 'long-outage'] as const)(
    'follows what is left to learn with when a key may not be sent again (%s)',
    (world) => {
      expect(timeOf(bounded)).toBe('after-recovery');
      expect(timeOf(bounded, { world })).toBe('within-bound');
      expect(timeOf({ ...bounded, absence: 'never' }, { world }, true)).toBe('after-first-look');
    },
  );
});

describe('a request that is held by a bound', () => {
  const recover = {
    type: 'sent',
    incarnation: 2,
    message: { type: 'recover', id: 1 },
  } as const;

  function landing(landingBoundMs: number | null) {
    const overdue: number[] = [];
    const beganMs = performance.now();
    let late: LateLanding | undefined;
    const landedMs = new Promise<number>((resolve) => {
      late = createLateLanding({
        time: 'within-bound',
        holdMs: 5,
        landingBoundMs,
        senderIsKilled: true,
        release: () => resolve(performance.now() - beganMs),
        overdue: (heldMs) => overdue.push(heldMs),
      });
      late.observe({ type: 'held', incarnation: 1, request: 1 });
      late.observe(recover);
    });
    return { landedMs, overdue };
  }

  it('lands late in it: whoever looks sooner than it allows finds nothing', async () => {
    const { landedMs, overdue } = landing(200);
    // Timers count whole milliseconds.
    expect(await landedMs).toBeGreaterThanOrEqual(144);
    expect(overdue).toEqual([]);
  });

  it('says so when it landed beyond it', async () => {
    const { landedMs, overdue } = landing(1);
    blockFor(20);
    await landedMs;
    expect(overdue).toHaveLength(1);
    expect(overdue[0]).toBeGreaterThan(1);
  });

  it('lands soon where none is declared', async () => {
    expect(await landing(null).landedMs).toBeGreaterThanOrEqual(4);
  });
});

function blockFor(durationMs: number): void {
  const untilMs = performance.now() + durationMs;
  while (performance.now() < untilMs);
}
