import { expect, it } from 'vitest';
import { strike } from './testing/strike.ts';

it('a lost request is whole on the wire, never reaches the service, and breaks its sender’s connection', async () => {
  const struck = await strike('request-lost');
  expect(struck.fired).toBe(true);
  expect(struck.first).toEqual({ kind: 'broken', code: 'ECONNRESET' });
  expect(struck.steps).toEqual(['request-began', 'request-whole', 'dropped']);
  expect(struck.second).toEqual({ kind: 'reply', status: 200, body: 'did second' });
  expect(struck.journal).toEqual(['second']);
});
