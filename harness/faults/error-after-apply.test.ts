import { expect, it } from 'vitest';
import { strike } from './testing/strike.ts';

it('an error after the effect is a 504 of the wire’s own in place of the service’s whole reply', async () => {
  const struck = await strike('error-after-apply');
  expect(struck.fired).toBe(true);
  expect(struck.first).toMatchObject({ kind: 'reply', status: 504 });
  expect(struck.steps).toEqual([
    'request-began',
    'request-whole',
    'forwarded',
    'replied',
    'dropped',
    'delivered',
  ]);
  expect(struck.second).toEqual({ kind: 'reply', status: 200, body: 'did second' });
  expect(struck.journal).toEqual(['first', 'second']);
});
