import { expectHolds, runCell } from 'killpoint/vitest';
import { expect, it } from 'vitest';

const subjects = { target: { module: './target.ts' }, rail: { module: './rail.ts' } };

it('is not asked for twice, though it was killed in the middle', async () => {
  const result = await runCell('during_call:now/none/none/same-again', subjects);
  expectHolds(result);
  // As it declares nothing, a person has to look: that is what a better declaration would spare.
  expect(result.record.o2?.outcome?.disposition).toBe('surfaced');
}, 60_000);
