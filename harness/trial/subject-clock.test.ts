import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bundleModules } from './bundle.ts';
import { fixtureFolder, openStage, type Stage, startMessage } from './testing/start-fixture.ts';

let stage: Stage;
beforeEach(() => {
  stage = openStage();
});
afterEach(() => stage.clear());

it('a clock that is moved while the process stands still has moved for the code that goes on', async () => {
  const fixture = join(fixtureFolder, 'tells-time.ts');
  const bundles = await bundleModules(new Map([['tells-time', { module: fixture }]]), stage.folder);
  const start = startMessage(stage.folder);
  const module = join(fixtureFolder, 'no-target.mjs');
  const subject = await stage.start('', {
    command: [process.execPath, bundles.get('tells-time') ?? ''],
    start: { ...start, target: { ...start.target, module, export: 'createTarget' } },
  });
  const submit = (id: number) =>
    subject.call(
      { type: 'submit', id, requestId: `request-${id}`, request: {}, lease: 'l', premises: [] },
      5000,
    );
  const first = submit(1);
  await subject.nextAt();
  // What was asked before the clock was moved waits all the same, and the last clock counts.
  const second = subject.call({ type: 'ask', id: 2, request: {} }, 5000);
  subject.send({ type: 'clock', offsetMs: 1_000_000 });
  subject.send({ type: 'clock', offsetMs: 90_000_000 });
  subject.send({ type: 'go' });
  subject.send({ type: 'clock', offsetMs: 0 });
  expect(await first).toMatchObject({ kind: 'outcome', outcome: { evidence: '90000' } });
  expect(await second).toMatchObject({ kind: 'outcome' });
  // The clock behind `go` is a message like any other.
  expect(await submit(3)).toMatchObject({ outcome: { evidence: '0' } });
  await subject.stop(5000);
});
