import { expect, it } from 'vitest';
import { strike } from './testing/strike.ts';

it('an answer that comes too late finds nobody, and the request has taken effect', async () => {
  const struck = await strike('slow');
  expect(struck.fired).toBe(true);
  expect(struck.first.kind).not.toBe('reply');
  expect(struck.steps).toEqual([
    'request-began',
    'request-whole',
    'forwarded',
    'replied',
    'dropped',
  ]);
  expect(struck.second).toEqual({ kind: 'reply', status: 200, body: 'did second' });
  expect(struck.journal).toEqual(['first', 'second']);
});
