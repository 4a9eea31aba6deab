import { expect, it } from 'vitest';
import { strike } from './testing/strike.ts';

it('an error before the effect is a 503 of the wire’s own, and the service never hears of the request', async () => {
  const struck = await strike('error-before-apply');
  expect(struck.fired).toBe(true);
  expect(struck.first).toMatchObject({ kind: 'reply', status: 503 });
  expect(struck.steps).toEqual(['request-began', 'request-whole', 'dropped', 'delivered']);
  expect(struck.events).toContainEqual({
    type: 'delivered',
    incarnation: 1,
    request: 1,
    status: 503,
    byWire: true,
  });
  expect(struck.second).toEqual({ kind: 'reply', status: 200, body: 'did second' });
  expect(struck.journal).toEqual(['second']);
});
