import { expect, test } from 'vitest';
import type { AttemptRow } from './schema.ts';
import { type WindowQuestion, windowState } from './window.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;

test('a window is open until a margin of one hour before its end', () => {
  expect(ask({ nowMs: 23 * hourMs - 1 }).kind).toBe('open');
  expect(ask({ nowMs: 23 * hourMs }).kind).toBe('over');
});

test('the margin of a short window is a twenty-fourth of it', () => {
  const dedupe = { windowMs: 2_400 };
  expect(ask({ dedupe, nowMs: 2_299 }).kind).toBe('open');
  expect(ask({ dedupe, nowMs: 2_300 }).kind).toBe('over');
});

test('the window counts from the first attempt that may have had an effect', () => {
  const attempts = [attempt(1, 0, 'definite-refusal'), attempt(2, 20 * hourMs, null)];
  expect(ask({ attempts, nowMs: 30 * hourMs }).kind).toBe('open');
  const later = [attempt(1, 0, null), attempt(2, 20 * hourMs, null)];
  expect(ask({ attempts: later, nowMs: 30 * hourMs }).kind).toBe('over');
});

test('a clock that went backwards counts as over', () => {
  expect(ask({ nowMs: hourMs, clockHighMs: hourMs + 1 }).kind).toBe('over');
});

test('a window without end asks no clock', () => {
  const dedupe = { windowMs: 'forever' } as const;
  expect(ask({ dedupe, nowMs: 900 * dayMs, clockHighMs: 1_000 * dayMs }).kind).toBe('open');
});

test('a service that does not dedupe has no window', () => {
  expect(ask({ dedupe: null }).kind).toBe('none');
});

function ask(given: Partial<WindowQuestion>): ReturnType<typeof windowState> {
  return windowState({
    dedupe: { windowMs: dayMs },
    attempts: [attempt(1, 0, null)],
    nowMs: 0,
    clockHighMs: 0,
    ...given,
  });
}

function attempt(
  number: number,
  startedAtMs: number,
  noEffect: AttemptRow['noEffect'],
): AttemptRow {
  const sent = { decisionKey: 'k', proposal: 1, lease: 'l', premises: '[]' };
  const open = { noReturnAtMs: null, endedAtMs: null, reply: null, detail: null };
  return { ...sent, ...open, attempt: number, startedAtMs, noEffect };
}
