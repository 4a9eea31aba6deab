import { expect, it } from 'vitest';
import { strike } from './testing/strike.ts';

it('a partition that does not heal lets nothing through again', async () => {
  const struck = await strike('partition-forever');
  expect(struck.fired).toBe(true);
  expect(struck.first.kind).toBe('broken');
  expect(struck.second.kind).toBe('broken');
  expect(struck.journalAfterRelease).toEqual([]);
});
