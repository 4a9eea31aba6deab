import { expect, it } from 'vitest';
import { strike } from './testing/strike.ts';

it('a partition lets no byte through and has healed for the next connection', async () => {
  const struck = await strike('partition');
  expect(struck.fired).toBe(true);
  expect(struck.first.kind).toBe('broken');
  expect(struck.events.slice(0, 3)).toEqual([
    { type: 'fault-armed', fault: 'partition', phase: 'resend' },
    { type: 'fault-fired', incarnation: 1, fault: 'partition', request: null },
    { type: 'connection', incarnation: 1, connection: 1, what: 'refused' },
  ]);
  expect(struck.second).toEqual({ kind: 'reply', status: 200, body: 'did second' });
  expect(struck.journal).toEqual(['second']);
});
