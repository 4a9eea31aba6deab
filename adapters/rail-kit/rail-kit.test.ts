import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import type { RailFault } from '../rail.ts';
import { type KitNamespace, railOf, type ServiceDescription } from './rail-kit.ts';
import { ask, openAccount, paid, pay, payments, place } from './testing/desk.ts';

const request = { order: 'o1', amountMinor: 2_000, currency: 'eur' };

describe('an effect', () => {
  it('is made by who is known, comes back with its stamp and stands in the journal', async () => {
    const account = await openAccount();
    const { status, body } = await pay(account);
    expect([status, body]).toEqual([201, { ...paid, order: 'o1', id: body.id }]);
    expect(await account.effects()).toEqual([
      {
        entityId: body.id,
        stamp: 'k',
        actor: 'subject',
        subject: 'o1',
        substance: { amountMinor: 2_000, currency: 'eur' },
        atMs: expect.any(Number),
      },
    ]);
    expect((await ask(account, `/payments/${body.id}`)).body).toEqual(body);
  });

  it.each([
    ['a credential nobody has', { as: 'nobody' as const }, 401, 'unauthorized'],
    ['a body that is none', { body: 'amount=2000' }, 400, 'invalid'],
    ['a body that lacks its substance', { body: { amount: 2_000 } }, 400, 'invalid'],
  ])('is not made for %s', async (_, said, status, code) => {
    const account = await openAccount();
    const heard = await pay(account, said);
    expect([heard.status, heard.body.error]).toMatchObject([status, { code }]);
    expect(await account.effects()).toEqual([]);
  });

  it('is made although its sender has gone, once it was received whole', async () => {
    const account = await openAccount();
    const held = account.hold();
    const content = JSON.stringify(paid);
    const socket = connect(account.endpoint.port, account.endpoint.host);
    await once(socket, 'connect');
    socket.write(
      `POST ${place} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${account.credentials.token}\r\ncontent-length: ${content.length}\r\n\r\n${content}`,
    );
    await held.reached;
    socket.destroy();
    expect([await account.effects(), account.idle()]).toEqual([[], false]);
    held.release();
    await vi.waitUntil(() => account.idle());
    expect(await account.effects()).toHaveLength(1);
  });

  it('of one account is nobody else’s', async () => {
    const rail = await railOf(payments)({ options: {} });
    const [one, other] = await Promise.all(['one', 'other'].map((id) => rail.openNamespace(id)));
    await pay(one as Awaited<ReturnType<typeof openAccount>>);
    expect(await other?.effects()).toEqual([]);
    await expect(rail.openNamespace('one')).rejects.toThrow(/came one again/);
    await rail.close();
  });
});

describe('a connection that a client keeps for several accounts', () => {
  it('is broken by the restart of the last it was used for, and of no other', async () => {
    const rail = await railOf(payments)({ options: {} });
    const [one, other] = (await Promise.all(
      ['one', 'other'].map((id) => rail.openNamespace(id)),
    )) as [KitNamespace, KitNamespace];
    const { host, port } = one.endpoint;
    const socket = connect(port, host);
    await once(socket, 'connect');
    for (const { credentials } of [one, other]) {
      socket.write(
        `GET ${place} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${credentials.token}\r\n\r\n`,
      );
      await once(socket, 'data');
    }
    await one.world('rail-restarted', request);
    expect(socket.destroyed).toBe(false);
    const closed = once(socket, 'close');
    await other.world('rail-restarted', request);
    await closed;
    await rail.close();
  });
});

describe('a key', () => {
  it('has no second effect, and says that it replays', async () => {
    const account = await openAccount();
    const first = await pay(account, { key: 'a' });
    const second = await pay(account, { key: 'a' });
    expect(second.body).toEqual(first.body);
    expect([first, second].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([
      null,
      'true',
    ]);
    expect(await account.effects()).toHaveLength(1);
  });

  it('is forgotten once its window is over', async () => {
    const account = await openAccount();
    await pay(account, { key: 'a' });
    account.setClock(59_000);
    await pay(account, { key: 'a' });
    expect(await account.effects()).toHaveLength(1);
    account.setClock(60_001);
    await pay(account, { key: 'a' });
    expect(await account.effects()).toHaveLength(2);
  });

  it('that came with another request is a conflict, and one that is at work says so', async () => {
    const account = await openAccount();
    const held = account.hold();
    const first = pay(account, { key: 'a' });
    await held.reached;
    expect((await pay(account, { key: 'a' })).status).toBe(409);
    expect((await pay(account, { key: 'a', body: { ...paid, amount: 1 } })).status).toBe(422);
    held.release();
    expect((await first).status).toBe(201);
    expect(await account.effects()).toHaveLength(1);
  });

  it('of a service that knows none means nothing', async () => {
    const account = await openAccount({ ...payments, key: null });
    await pay(account, { key: 'a' });
    await pay(account, { key: 'a' });
    expect(await account.effects()).toHaveLength(2);
  });

  it('has the statuses that are described', async () => {
    const key = { header: 'idempotency-key', windowMs: 'forever', conflictStatus: 400 } as const;
    const account = await openAccount({
      ...payments,
      key,
      create: { ...payments.create, status: 200 },
    });
    expect((await pay(account, { key: 'a' })).status).toBe(200);
    expect((await pay(account, { key: 'a', body: { ...paid, amount: 1 } })).status).toBe(400);
  });
});

describe('a list', () => {
  type Paging = NonNullable<NonNullable<ServiceDescription['list']>['paging']>;
  const size = { query: 'limit', usual: 2, most: 3 };
  const listed = (changes: Partial<NonNullable<ServiceDescription['list']>>) => {
    if (payments.list === null) throw new Error('expected a list');
    return { ...payments, list: { ...payments.list, ...changes } };
  };
  async function amountsOf(
    account: Awaited<ReturnType<typeof openAccount>>,
    query: string,
  ): Promise<unknown> {
    const { body } = await ask(account, `${place}?${query}`);
    const rows = (Array.isArray(body) ? body : body.data) as { amount: number }[];
    return rows.map(({ amount }) => amount);
  }
  async function withFive(description: ServiceDescription) {
    const account = await openAccount(description);
    for (const amount of [1, 2, 3, 4, 5]) await pay(account, { body: { ...paid, amount } });
    return account;
  }

  it('goes on behind the last of a page, newest first, and takes no more than it may', async () => {
    const account = await withFive(payments);
    expect(await amountsOf(account, '')).toEqual([5, 4]);
    expect(await amountsOf(account, 'limit=9')).toEqual([5, 4, 3]);
    const { body } = await ask(account, place);
    const [, last] = body.data as { id: string }[];
    expect(await amountsOf(account, `after=${last?.id}`)).toEqual([3, 2]);
    expect((await ask(account, `${place}?after=nobody`)).status).toBe(400);
  });

  it.each<[string, Paging, string]>([
    ['page', { by: 'page', query: 'page', size }, 'page=2'],
    ['offset', { by: 'offset', query: 'offset', size }, 'offset=2'],
    ['cursor of its own', { by: 'cursor', next: { field: 'next' }, query: 'from', size }, 'from=2'],
  ])('can go on by %s, oldest first', async (_, paging, query) => {
    const account = await withFive(listed({ paging, order: 'oldest-first' }));
    expect(await amountsOf(account, query)).toEqual([3, 4]);
    expect(await amountsOf(account, `${query}&limit=1`)).toHaveLength(1);
  });

  it('can be the answer itself, in one piece', async () => {
    const account = await withFive(listed({ paging: null, rows: '' }));
    expect(await amountsOf(account, '')).toEqual([5, 4, 3, 2, 1]);
  });

  it('is asked for by fields, and by no other query', async () => {
    const account = await withFive(payments);
    await pay(account, { body: { ...paid, amount: 6, currency: 'usd' } });
    expect(await amountsOf(account, 'currency=usd')).toEqual([6]);
    expect((await ask(account, `${place}?colour=red`)).status).toBe(400);
    expect((await ask(account, '/orders/o2/payments')).body).toEqual({ data: [], has_more: false });
  });
});

describe('a fault', () => {
  const armed = async (fault: RailFault, description?: ServiceDescription) => {
    const account = await openAccount(description);
    const fired = vi.fn();
    account.arm(fault, fired);
    return { account, fired };
  };

  it.each([
    [true, 1],
    [false, 0],
  ])('stores an error under its key (landed: %s)', async (landed, effects) => {
    const { account } = await armed({ kind: 'stored-error', landed });
    expect((await pay(account, { key: 'a' })).status).toBe(500);
    const again = await pay(account, { key: 'a' });
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([500, 'true']);
    expect(await account.effects()).toHaveLength(effects);
  });

  it('says that an earlier request is at work, as often as it was armed for', async () => {
    const { account, fired } = await armed({ kind: 'in-flight-conflict', times: 2 });
    const statuses = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await pay(account, { key: 'a' })).status);
    expect(statuses).toEqual([409, 409, 201]);
    expect(fired).toHaveBeenCalledTimes(2);
  });

  it.each([401, 429] as const)('refuses with %s, and never a person', async (status) => {
    const { account } = await armed({ kind: 'refused', status });
    expect((await pay(account, { as: 'person' })).status).toBe(201);
    expect((await pay(account)).status).toBe(status);
    expect((await pay(account)).status).toBe(201);
  });

  it.each([401, 429, 500] as const)('fails a lookup with %s', async (how) => {
    const { account } = await armed({ kind: 'lookup-error', how });
    expect((await ask(account, place)).status).toBe(how);
    expect((await ask(account, place)).status).toBe(200);
  });

  it('gives an empty page that claims more', async () => {
    const { account } = await armed({ kind: 'lookup-error', how: 'empty-claims-more' });
    expect((await ask(account, place)).body).toEqual({ data: [], has_more: true });
  });

  it('shows an effect only after the lag', async () => {
    const { account } = await armed({ kind: 'stale-read' });
    await pay(account);
    expect((await ask(account, place)).body.data).toEqual([]);
    await vi.waitUntil(async () => {
      const { body } = await ask(account, place);
      return (body.data as unknown[]).length === 1;
    });
  });

  it.each(['newest-first', 'oldest-first'] as const)(
    'puts look-alikes without a stamp before the effect of the subject (%s)',
    async (order) => {
      if (payments.list === null) throw new Error('expected a list');
      const description = { ...payments, list: { ...payments.list, order } };
      const { account } = await armed(
        { kind: 'paged', lookAlikes: 2, changes: false },
        description,
      );
      await pay(account, { key: 'a' });
      const { body } = await ask(account, place);
      const stamps = (body.data as { metadata: { decision: string | null } }[]).map(
        ({ metadata }) => metadata.decision,
      );
      expect([stamps, body.has_more]).toEqual([[null, null], true]);
    },
  );

  it('that the service could not do is refused', async () => {
    const account = await openAccount({ ...payments, key: null, list: null });
    expect(account.can).toEqual(['refused']);
    expect(() => account.arm({ kind: 'stale-read' }, () => undefined)).toThrow(
      /expected one of the faults refused; came stale-read/,
    );
  });
});

describe('people', () => {
  it('do the same by hand, without a stamp, and something else', async () => {
    const account = await openAccount();
    await account.world('done-by-hand', request);
    await account.world('unrelated-change', request);
    const effects = await account.effects();
    expect(effects.map(({ actor, stamp, subject }) => [actor, stamp, subject])).toEqual([
      ['person', null, 'o1'],
      ['person', null, 'something-else'],
    ]);
  });

  it('undo what is there, which stays in the journal', async () => {
    const account = await openAccount();
    await expect(account.world('undone-by-hand', request)).rejects.toThrow(
      /one of them is missing/,
    );
    await pay(account);
    await account.world('undone-by-hand', request);
    const { body } = await ask(account, place);
    expect(body.data).toMatchObject([{ status: 'cancelled' }]);
    expect(await account.effects()).toHaveLength(1);
  });

  it('restart the service: what it had not finished it never will', async () => {
    const account = await openAccount();
    const held = account.hold();
    const lost = pay(account).catch((error: Error) => error.name);
    await held.reached;
    await account.world('rail-restarted', request);
    expect(await lost).toBe('TypeError');
    await vi.waitUntil(() => account.idle());
    expect(await account.effects()).toEqual([]);
    expect((await pay(account)).status).toBe(201);
  });
});
