import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { TargetDeclaration } from '../../adapters/target.ts';
import { noFault, type Scenario } from '../model/cell.ts';
import { declarations, plain, withPremises } from '../model/testing/classes.ts';
import type { TrialSpec } from '../model/trial.ts';
import { createLateLanding, type LandingTime, landingTimeOf } from './late-landing.ts';

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

const atHeld = { incarnation: 1, request: 1 } as const;
const recover = {
  type: 'sent',
  incarnation: 2,
  message: { type: 'recover', id: 1 },
} as const;

function openLanding(time: LandingTime, landingBoundMs: number | null) {
  const overdue: number[] = [];
  const beganMs = performance.now();
  let release: () => void = () => undefined;
  const landedMs = new Promise<number>((resolve) => {
    release = () => resolve(performance.now() - beganMs);
  });
  const late = createLateLanding({
    time,
    holdMs: 5,
    landingBoundMs,
    senderIsKilled: true,
    release,
    overdue: (heldMs) => overdue.push(heldMs),
  });
  late.observe({ type: 'held', ...atHeld });
  return { late, landedMs, overdue };
}

function openUnheld(time: LandingTime) {
  let isReleased = false;
  const late = createLateLanding({
    time,
    holdMs: 5,
    landingBoundMs: null,
    senderIsKilled: false,
    release: () => {
      isReleased = true;
    },
    overdue: () => undefined,
  });
  return { late, released: () => isReleased };
}

describe('a request that is held by a bound', () => {
  function recovering(landingBoundMs: number | null) {
    const landing = openLanding('within-bound', landingBoundMs);
    landing.late.observe(recover);
    return landing;
  }

  it('lands late in it: whoever looks sooner than it allows finds nothing', async () => {
    const { landedMs, overdue } = recovering(200);
    // Timers count whole milliseconds.
    expect(await landedMs).toBeGreaterThanOrEqual(144);
    expect(overdue).toEqual([]);
  });

  it('says so when it was let go beyond it', async () => {
    const { landedMs, overdue } = recovering(1);
    blockFor(20);
    await landedMs;
    expect(overdue).toHaveLength(1);
    expect(overdue[0]).toBeGreaterThan(1);
  });

  it('lands soon where none is declared', async () => {
    expect(await recovering(null).landedMs).toBeGreaterThanOrEqual(4);
  });
});

describe('a request that waits for the first look', () => {
  const look = (request: number) =>
    ({
      type: 'request-whole',
      incarnation: 2,
      request,
      method: 'GET',
      path: '/',
      mutating: false,
      key: null,
      bodySha256: '',
    }) as const;

  it('lands when nothing more of it is asked, and not between two of its pages', async () => {
    const { late, landedMs } = openLanding('after-first-look', null);
    const beganMs = performance.now();
    for (const request of [2, 3]) {
      late.observe(look(request));
      blockFor(20);
      late.observe({ type: 'replied', incarnation: 2, request, status: 200 });
    }
    const lookedMs = performance.now() - beganMs;
    expect((await landedMs) - lookedMs).toBeGreaterThanOrEqual(33);
  });

  it('does not take for one what was read before it was held', async () => {
    const { late, released } = openUnheld('after-first-look');
    late.observe(look(2));
    late.observe({ type: 'replied', incarnation: 2, request: 2, status: 200 });
    late.observe({ type: 'held', ...atHeld });
    await sleep(60);
    expect(released()).toBe(false);
    late.phaseOver();
    await sleep(20);
    expect(released()).toBe(true);
  });
});

function blockFor(durationMs: number): void {
  const untilMs = performance.now() + durationMs;
  while (performance.now() < untilMs);
}
