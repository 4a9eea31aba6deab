// In a project of your own: from 'killpoint/vitest'.
import { describe, it } from 'vitest';
import { type CellRequest, expectFindings, expectHolds, runCell } from '../../harness/vitest.ts';

/** Two and more pages of tickets in a trial, so that paging is always part of a lookup. */
const local = { clientTimeoutMs: 500, lagMs: 40, pageSize: 3 };

function tickets(options = {}): CellRequest {
  return {
    target: {
      module: new URL('./target.ts', import.meta.url),
      options: { ...local, ...options },
    },
    rail: { module: new URL('./rail.ts', import.meta.url) },
  };
}

describe('a lookup whose absence is never final', () => {
  it.each([
    'before_wal/none/none/same-again',
    'during_call:later/none/none/same-again',
    'during_call:now/paged@look/none/same-again',
    'during_call:now/lookup-empty@look/none/same-again',
  ])('keeps every promise at %s', async (cell) => {
    expectHolds(await runCell(cell, tickets()));
  });
});

describe('a lookup with a bound on how long a request can still land', () => {
  it.each([
    'after_wal_before_call/none/none/same-again',
    'during_call:later/none/none/same-again',
    'during_call:now/stale-read@look/none/same-again',
    'during_call:now/paged-changing@look/none/same-again',
    'after_call_before_commit/error-after-apply@first-send/none/same-again',
  ])('keeps every promise at %s', async (cell) => {
    expectHolds(await runCell(cell, tickets({ landingBoundMs: 80 })));
  });

  it('is condemned where it declares no lag, and the list has one', async () => {
    const cell = 'during_call:now/stale-read@look/none/same-again';
    const hasty = tickets({ landingBoundMs: 0, lagMs: 0 });
    const module = new URL('./testing/lagging-rail.ts', import.meta.url);
    const result = await runCell(cell, { ...hasty, rail: { module } });
    expectFindings(result, 'two-effects', 'silent-loss', 'receipt-false');
  });
});
