import { expect, it } from 'vitest';
import { strike } from './testing/strike.ts';

it('a foreign reply is whole and true, and another’s', async () => {
  const struck = await strike('foreign-reply');
  expect(struck.fired).toBe(true);
  expect(struck.first).toEqual({ kind: 'reply', status: 200, body: 'did another' });
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

it('a foreign reply that sticks is given to every later send as well', async () => {
  const struck = await strike('foreign-reply-sticky');
  expect(struck.first).toEqual({ kind: 'reply', status: 200, body: 'did another' });
  expect(struck.second).toEqual({ kind: 'reply', status: 200, body: 'did another' });
  expect(struck.journal).toEqual(['first', 'second']);
});
