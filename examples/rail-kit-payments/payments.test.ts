// In a project of your own: from 'killpoint/vitest'.
import { expect, it, onTestFinished } from 'vitest';
import { type CellRequest, expectFindings, expectHolds, runCell } from '../../harness/vitest.ts';
import { createRail } from './rail.ts';

const payments: CellRequest = {
  target: {
    module: new URL('./target.ts', import.meta.url),
    options: { clientTimeoutMs: 500 },
  },
  rail: { module: new URL('./rail.ts', import.meta.url) },
};

it.each([
  'before_wal/none/none/same-again',
  'during_call:later/none/none/same-again',
  'during_call:now/in-flight-conflict@resend/none/same-again',
  'during_call:now/none/long-outage/same-again',
  'during_call:now/none/rail-restarted/same-again',
  'before_wal/none/none/over-cap',
])('keeps every promise at %s', async (cell) => {
  expectHolds(await runCell(cell, payments));
});

it('shows what a gate that reruns its jobs under fresh keys does to it', async () => {
  const cell = 'during_call:now/none/none/same-again';
  const result = await runCell(cell, { ...payments, gate: 'naive' });
  expectFindings(result, 'two-effects');
  expect(result.record.o2?.effects).toBe(2);
});

it('keeps every promise at a server that already runs', async () => {
  const server = await createRail({ options: {} });
  onTestFinished(() => server.close());
  const { endpoint, credentials } = await server.openNamespace('development');
  const result = await runCell('during_call:now/reply-lost@resend/none/same-again', {
    ...payments,
    rail: {
      module: new URL('./rail.ts', import.meta.url),
      options: { url: `http://${endpoint.host}:${endpoint.port}` },
    },
    environment: { PAYMENTS_TOKEN: String(credentials.token) },
  });
  expectHolds(result);
});
