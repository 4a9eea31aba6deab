import { expect, it } from 'vitest';
import { strike } from './testing/strike.ts';

it.each([
  [undefined, { kind: 'broken', code: 'ECONNRESET' }],
  ['reset', { kind: 'broken', code: 'ECONNRESET' }],
  // Node's own client calls an end without a reply a hang-up, by the code of a reset.
  ['end', { kind: 'broken', code: 'ECONNRESET' }],
  ['silence', { kind: 'silence' }],
] as const)('a request whose reply is lost (%s) has taken effect', async (lostReply, first) => {
  const struck = await strike('reply-lost', lostReply === undefined ? {} : { lostReply });
  expect(struck.fired).toBe(true);
  expect(struck.first).toEqual(first);
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
