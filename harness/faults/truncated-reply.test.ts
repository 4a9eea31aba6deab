import { expect, it } from 'vitest';
import { strike } from './testing/strike.ts';

it('a reply that breaks off has taken effect, and can’t be read', async () => {
  const struck = await strike('truncated-reply');
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
