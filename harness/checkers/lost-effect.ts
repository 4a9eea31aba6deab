/**
 * What is allowed, decided and asked for again is there in the end: of each decision, and of two that a
 * cap keeps to one the one.
 */
import { formatEndings } from '../model/expectation.ts';
import type { Finding } from '../model/findings.ts';
import type { Checker } from './checker.ts';
import type { Facts } from './facts.ts';
import { effectsTogether } from './over-cap.ts';

export const lostEffect: Checker = {
  finding: 'lost-effect',
  check: (_spec, facts) => [
    ...lostOf(facts, 'O2'),
    ...lostOf(facts, 'second'),
    ...lostOfTwo(facts),
  ],
};

function lostOf(facts: Facts, name: 'O2' | 'second'): readonly Finding[] {
  const { allowed, effects, events } = facts.observations[name];
  const demanded = allowed.length > 0 && allowed.every((ending) => ending.effects >= 1);
  if (!demanded || effects === null || effects.length > 0) return [];
  const message = `at ${name} expected ${formatEndings(allowed)}, the journal holds no effect`;
  return [{ finding: 'lost-effect', message, events }];
}

function lostOfTwo(facts: Facts): readonly Finding[] {
  const together = effectsTogether(facts);
  if (together === null || together.count >= together.least) return [];
  const message = `at O2 expected ${together.least} effect of two decisions under one cap, the journal holds ${together.count}`;
  return [{ finding: 'lost-effect', message, events: together.events }];
}
