import { expect, it } from 'vitest';
import { strike } from './testing/strike.ts';

it('a request whose reply is lost has taken effect, and breaks its sender’s connection', async () => {
  const struck = await strike('reply-lost');
  expect(struck.fired).toBe(true);
  expect(struck.first).toEqual({ kind: 'broken', code: 'ECONNRESET' });
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
