import { expect, it } from 'vitest';
import { usualWorkers } from './usual-workers.ts';

it('keeps every core at work while trials wait', () => {
  expect([1, 2, 3, 4, 64, 192].map(usualWorkers)).toEqual([2, 3, 5, 6, 96, 256]);
});
