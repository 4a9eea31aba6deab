import { expect, it } from 'vitest';
import { strike } from './testing/strike.ts';

it('a late request gives its sender silence and takes effect after later ones, when it is released', async () => {
  const struck = await strike('late-apply');
  expect(struck.fired).toBe(true);
  expect(struck.first).toEqual({ kind: 'silence' });
  expect(struck.second).toEqual({ kind: 'reply', status: 200, body: 'did second' });
  expect(struck.journal).toEqual(['second']);
  expect(struck.journalAfterRelease).toEqual(['second', 'first']);
  expect(struck.steps).toEqual([
    'request-began',
    'request-whole',
    'held',
    'forwarded',
    'replied',
    'dropped',
  ]);
});
