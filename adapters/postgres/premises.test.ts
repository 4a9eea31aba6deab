import { describe, expect, test } from 'vitest';
import type { RailWorldEvent } from '../rail.ts';
import type { PremiseCheck } from '../target.ts';
import {
  connectPerson,
  entityOf,
  openNamespace,
  openTarget,
  variants,
} from './testing/database.ts';

async function openCaptured() {
  const namespace = await openNamespace();
  const { request } = namespace.examples(1);
  const target = openTarget(namespace, 'unique');
  const premises = await target.capture(request);
  const kinds = ['value-equals', 'version-unchanged'] as const;
  const check = async (): Promise<readonly PremiseCheck['kind'][]> =>
    Promise.all(
      kinds.map(
        async (kind) =>
          (
            await target.validate(
              request,
              premises.filter((premise) => premise.kind === kind),
              'ours',
            )
          ).kind,
      ),
    );
  return { namespace, request, target, premises, check };
}

describe('premises', () => {
  test('are the account’s standing and limit, what was credited for the reference, and a version', async () => {
    const { premises, request, target } = await openCaptured();
    const { account, reference } = request;
    expect(premises).toEqual([
      { kind: 'value-equals', fact: `${account}.standing`, value: 'good' },
      { kind: 'value-equals', fact: `${account}.limitMinor`, value: null },
      { kind: 'value-equals', fact: `${account}/${reference}.creditedMinor`, value: '0' },
      {
        kind: 'version-unchanged',
        fact: `${account}/${reference}.version`,
        value: expect.any(String),
      },
    ]);
    expect(new Set(premises.map(({ kind }) => kind))).toEqual(new Set(target.declaration.premises));
  });

  const changes: readonly (readonly [
    string,
    RailWorldEvent | 'nothing',
    PremiseCheck['kind'][],
  ])[] = [
    ['hold while nothing happens', 'nothing', ['hold', 'hold']],
    ['are stale, both kinds, after a change', 'premise-changed', ['stale', 'stale']],
    [
      'hold by value and not by version after a change and back',
      'premise-changed-and-back',
      ['hold', 'stale'],
    ],
    ['are stale, both kinds, when somebody else did it', 'done-by-hand', ['stale', 'stale']],
    ['hold after a change near by', 'unrelated-change', ['hold', 'hold']],
  ];
  test.each(changes)('%s', async (_, event, wanted) => {
    const { namespace, request, check } = await openCaptured();
    if (event !== 'nothing') await namespace.world(event, request);
    expect(await check()).toEqual(wanted);
  });

  test.each(variants)(
    'hold after our own effect under %s, also once it was undone',
    async (variant) => {
      const { namespace, request, check } = await openCaptured();
      entityOf(await openTarget(namespace, variant).apply({ key: 'ours', request, attempt: 1 }));
      expect(await check()).toEqual(['hold', 'hold']);
      await namespace.world('undone-by-hand', request);
      expect(await check()).toEqual(['hold', 'hold']);
    },
  );

  test('are stale after an effect under another key, and by version still when it was undone', async () => {
    const { namespace, request, target, check } = await openCaptured();
    entityOf(await target.apply({ key: 'theirs', request, attempt: 1 }));
    expect(await check()).toEqual(['stale', 'stale']);
    await namespace.world('undone-by-hand', request);
    expect(await check()).toEqual(['hold', 'stale']);
  });

  test('hold after a credit for another reference of the account', async () => {
    const { namespace, request, check } = await openCaptured();
    await namespace.world('done-by-hand', { ...request, reference: 'ref_other' });
    expect(await check()).toEqual(['hold', 'hold']);
  });

  test('are stale by version when the account was deleted and made again as it was', async () => {
    const { namespace, request, check } = await openCaptured();
    await namespace.administer(
      `DELETE FROM accounts WHERE account = '${request.account}';
       INSERT INTO accounts (account) VALUES ('${request.account}')`,
    );
    expect(await check()).toEqual(['hold', 'stale']);
  });

  test('are stale when the account is gone', async () => {
    const { namespace, request, check } = await openCaptured();
    await namespace.administer(`DELETE FROM accounts WHERE account = '${request.account}'`);
    expect(await check()).toEqual(['stale', 'stale']);
  });

  test('see an amount beyond what a number holds', async () => {
    const { namespace, request, target } = await openCaptured();
    const person = await connectPerson(namespace);
    for (const _ of [1, 2]) {
      await person.query(
        `INSERT INTO credits (account,reference,amount_minor,currency) VALUES ($1,$2,9223372036854775807,'eur')`,
        [request.account, request.reference],
      );
    }
    expect(await target.capture(request)).toContainEqual(
      expect.objectContaining({ value: '18446744073709551614' }),
    );
  });

  test('of another target could not be told', async () => {
    const { request, target } = await openCaptured();
    const foreign = [{ kind: 'value-equals', fact: 'pi_1.amountReceived', value: 1 } as const];
    expect(await target.validate(request, foreign, 'ours')).toMatchObject({
      kind: 'could-not-tell',
    });
  });

  test('of an account that is not there are an invalid request', async () => {
    const { request, target } = await openCaptured();
    await expect(target.capture({ ...request, account: 'acc_nobody' })).rejects.toThrow(
      /account must be one the database has; came acc_nobody/,
    );
  });
});
