import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../target.ts';
import { type KitNamespace, railOf } from './rail-kit.ts';
import { ask, openAccount, paid, payments } from './testing/desk.ts';

/** What stands for a server that already runs: the same service, served by somebody else. */
async function openRunning(account: KitNamespace, environment: Record<string, string> = {}) {
  const { host, port } = account.endpoint;
  const url = `http://${host}:${port}`;
  const rail = await railOf(payments)({
    options: { url },
    environment: { TOKEN: String(account.credentials.token), ...environment },
  });
  onTestFinished(() => rail.close());
  return rail;
}

function payFor(account: KitNamespace, { order }: JsonObject, decision: string | null, amount = 1) {
  const body = { ...paid, amount, metadata: { decision } };
  return ask(account, `/orders/${order}/payments`, { method: 'POST', body });
}

describe('a server that already runs', () => {
  it('shows in its own list what was made for what a trial asks', async () => {
    const account = await openAccount();
    const running = await (await openRunning(account)).openNamespace('trial');
    const { request } = running.examples(1);
    // Two pages and more.
    for (const amount of [1, 2, 3, 4]) await payFor(account, request, 'k', amount);
    await payFor(account, request, 'control-7');
    await payFor(account, { order: 'of-somebody-else' }, 'k');
    const effects = await running.effects();
    expect(effects.map(({ actor, substance }) => [actor, substance.amountMinor])).toEqual([
      ['subject', 1],
      ['subject', 2],
      ['subject', 3],
      ['subject', 4],
      ['person', 1],
    ]);
    expect(running.endpoint).toEqual(account.endpoint);
    expect(running.credentials).toEqual(account.credentials);
  });

  it('offers the least that is a rail', async () => {
    const running = await (await openRunning(await openAccount())).openNamespace('trial');
    expect(Object.keys(running).sort()).toEqual(['credentials', 'effects', 'endpoint', 'examples']);
  });

  it('is asked for other things in every run, since what was made stays', async () => {
    const account = await openAccount();
    const one = await (await openRunning(account)).openNamespace('trial');
    const other = await (await openRunning(account)).openNamespace('trial');
    expect(one.examples(1)).toEqual(one.examples(1));
    expect(one.examples(1)).not.toEqual(other.examples(1));
  });

  it('says what it needs, and never the credential', async () => {
    const account = await openAccount();
    expect((await openRunning(account, { TOKEN: '' })).unavailable).toMatch(/^set TOKEN to the/);
    const locked = await (await openRunning(account, { TOKEN: 'secret' })).openNamespace('trial');
    locked.examples(1);
    const why = await locked.effects().catch(String);
    expect(why).toMatch(/expected the journal from GET \/orders\/o\d+\/payments, got status 401/);
    expect(why).not.toContain('secret');
  });

  it.each([
    [
      'an address that is none',
      payments,
      'localhost:80',
      /expected url to be http:\/\/HOST:PORT.*got "localhost:80"/,
    ],
    ['an address with a path', payments, 'http://localhost/v1', /paths are the description's/],
    [
      'a service that lists nothing',
      { ...payments, list: null },
      'http://localhost',
      /expected a list in the description/,
    ],
    [
      'a service without stamps',
      { ...payments, stamp: null },
      'http://localhost',
      /expected a stamp in the description/,
    ],
  ])('can’t be %s', async (_, description, url, message) => {
    await expect(railOf(description)({ options: { url } })).rejects.toThrow(message);
  });

  it('is named by no other option', async () => {
    await expect(railOf(payments)({ options: { port: 1 } })).rejects.toThrow(
      /may hold url.*"port":1/,
    );
  });
});
