import { describe, expect, it } from 'vitest';
import { declarations, premiseOf } from '../reference/testing/service.ts';
import { handCheck } from './hand-check-routine.ts';
import { openJobTable, type Routine } from './job-table.ts';
import { dieAt, proposalOf, Stage } from './testing/stage.ts';

const request = { order: 'order-1', amountMinor: 20 };
const approved = { ...request, distinct: 'approval-7' };

const coarse: Routine = {
  naming: ({ subject }) => subject,
  keyFor: (job) => job.id,
  bindsRequest: false,
  takesRefusals: false,
};

async function recovered(stage: Stage, routine: Routine) {
  const gate = openJobTable(stage.context(), routine);
  await gate.recover();
  return gate;
}

describe('a job table', () => {
  it('takes another amount, and a second approval, for the job it has', async () => {
    using stage = new Stage(declarations.neither);
    const gate = openJobTable(stage.context(), coarse);
    await gate.submit(proposalOf(request));
    for (const other of [{ ...request, amountMinor: 30 }, approved]) {
      expect(await gate.submit(proposalOf(other))).toMatchObject({
        outcome: 'happened',
        entityId: 'effect-1',
      });
    }
    expect(stage.service.effects).toHaveLength(1);
    await gate.close();
  });

  it('sends what it was told under "distinct" to nobody', async () => {
    using stage = new Stage(declarations.neither);
    const gate = openJobTable(stage.context(), coarse);
    expect(await gate.submit(proposalOf(approved))).toMatchObject({ outcome: 'happened' });
    await gate.close();
  });

  it('stays at work on what no answer comes for', async () => {
    using stage = new Stage(declarations.dedupes);
    stage.service.applies.push('reply-lost', 'reply-lost', 'reply-lost');
    const gate = openJobTable(stage.context(), coarse);
    expect(await gate.submit(proposalOf(request))).toMatchObject({
      outcome: 'unknown',
      disposition: 'working',
      attempts: 3,
    });
    await gate.close();
  });
});

describe('a job table that asks, checks and then calls', () => {
  it('finds after a restart what it had done', async () => {
    using stage = new Stage(declarations.unbounded);
    const dying = openJobTable(stage.context('after_call_before_commit'), handCheck);
    await dieAt(dying, proposalOf(request));
    const gate = await recovered(stage, handCheck);
    expect(await gate.ask(request)).toMatchObject({ outcome: 'happened', entityId: 'effect-1' });
    expect(stage.service.count('apply')).toBe(1);
    await gate.close();
  });

  it('sends again after one look that finds nothing, however late the first may land', async () => {
    using stage = new Stage(declarations.bound);
    stage.service.applies.push('held');
    const dying = openJobTable(stage.context('after_call_before_commit'), handCheck);
    await dieAt(dying, proposalOf(request));
    const gate = await recovered(stage, handCheck);
    stage.service.landHeld();
    expect(stage.service.effects).toHaveLength(2);
    await gate.close();
  });

  it('refuses for good what a dead lease or a stale fact stands against, also over an effect', async () => {
    for (const kind of ['lease', 'fact'] as const) {
      using stage = new Stage(declarations.dedupes);
      const dying = openJobTable(stage.context('after_wal_before_call'), handCheck);
      await dieAt(dying, proposalOf(request, { premises: [premiseOf(1)] }));
      if (kind === 'lease') stage.lease = { kind: 'live', expiresAtMs: 0, coversReasons: [] };
      else stage.service.version = 2;
      const gate = await recovered(stage, handCheck);
      expect(await gate.ask(request)).toMatchObject({ outcome: 'refused', disposition: 'settled' });
      expect(stage.service.count('apply')).toBe(0);
      await gate.close();
    }
  });

  it('waits where the service or the facts can’t be read', async () => {
    using stage = new Stage(declarations.unbounded);
    stage.service.looks.push('could-not-tell', 'could-not-tell', 'could-not-tell');
    const gate = openJobTable(stage.context(), handCheck);
    expect(await gate.submit(proposalOf(request))).toMatchObject({ disposition: 'working' });
    expect(await gate.submit(proposalOf(request))).toMatchObject({ outcome: 'happened' });
    await gate.close();
  });

  it('holds a job to its first amount', async () => {
    using stage = new Stage(declarations.dedupes);
    const gate = openJobTable(stage.context(), handCheck);
    await gate.submit(proposalOf(request));
    const other = { ...request, amountMinor: 30 };
    expect(await gate.submit(proposalOf(other))).toMatchObject({ outcome: 'refused' });
    expect(await gate.ask(request)).toMatchObject({ outcome: 'happened' });
    await gate.close();
  });

  it('does a second one for an approval, and for a reason only where the lease covers it', async () => {
    using stage = new Stage(declarations.dedupes);
    const gate = openJobTable(stage.context(), handCheck);
    const late = { ...request, distinct: { reason: 'late delivery' } };
    await gate.submit(proposalOf(request));
    expect(await gate.submit(proposalOf(approved))).toMatchObject({ entityId: 'effect-2' });
    expect(await gate.submit(proposalOf(late))).toMatchObject({ outcome: 'refused' });
    stage.lease = { kind: 'live', expiresAtMs: null, coversReasons: ['late delivery'] };
    const other = { order: 'order-2', amountMinor: 20, distinct: { reason: 'late delivery' } };
    expect(await gate.submit(proposalOf(other))).toMatchObject({ outcome: 'happened' });
    await gate.close();
  });

  it('believes an answer that carries another’s stamp', async () => {
    using stage = new Stage(declarations.unbounded);
    stage.service.applies.push('foreign');
    const gate = openJobTable(stage.context(), handCheck);
    expect(await gate.submit(proposalOf(request))).toMatchObject({ entityId: 'somebody-elses' });
    await gate.close();
  });

  it('is in one process carried out once, however many ask for it', async () => {
    using stage = new Stage(declarations.neither);
    const gate = openJobTable(stage.context(), handCheck);
    await Promise.all([1, 2, 3].map(() => gate.submit(proposalOf(request))));
    expect(stage.service.effects).toHaveLength(1);
    await gate.close();
  });
});
