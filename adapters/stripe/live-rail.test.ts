import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Rail, RailConfig } from '../rail.ts';
import type { EffectTarget } from '../target.ts';
import { createRail } from './live-rail.ts';
import { createTarget } from './target.ts';
import { openSdk } from './testing/loopback.ts';
import { openSecureStripe, type SecureStripe } from './testing/secure-stripe.ts';

async function openStripe(instead: Readonly<Record<string, string>> = {}): Promise<SecureStripe> {
  const stripe = await openSecureStripe(instead);
  onTestFinished(() => stripe.close());
  return stripe;
}

async function openRail(
  environment: NonNullable<RailConfig['environment']>,
  options: RailConfig['options'] = {},
): Promise<Rail> {
  const rail = await createRail({ options, environment });
  onTestFinished(() => rail.close());
  return rail;
}

type Namespace = Awaited<ReturnType<Rail['openNamespace']>>;

function openTarget({ endpoint, credentials }: Pick<Namespace, 'endpoint' | 'credentials'>) {
  const options = { variant: 'lookup', clientTimeoutMs: 5_000 };
  const target: EffectTarget = createTarget({ endpoint, credentials, options, now: Date.now });
  onTestFinished(() => target.close?.());
  return target;
}

const refusal = (status: string, message: string) => {
  const body = JSON.stringify({ error: { type: 'invalid_request_error', message } });
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};

describe('a namespace at Stripe', () => {
  test('is a paid payment of its own, labelled with its run and trial', async () => {
    const { environment, account } = await openStripe();
    const rail = await openRail(environment);
    const [one, two] = [await rail.openNamespace('a/b/1'), await rail.openNamespace('a/b/2')];
    const { request, changed, distinct, lookAlike, capped } = one.examples(5);
    expect(one.examples(5)).toEqual({ request, changed, distinct, lookAlike, capped });
    expect(two.examples(5).request.paymentIntent).not.toBe(request.paymentIntent);
    expect(one.credentials).toEqual({
      apiKey: environment.STRIPE_API_KEY,
      account: account.credentials.account,
    });
    const sdk = openSdk(account, account.credentials);
    const payment = await sdk.paymentIntents.retrieve(String(request.paymentIntent));
    expect(payment).toMatchObject({
      status: 'succeeded',
      description: 'Killpoint a/b/1',
      metadata: { killpoint_trial: 'a/b/1', killpoint_run: expect.stringMatching(/^20.*Z \w{8}$/) },
    });
    expect(JSON.stringify(payment)).not.toContain(environment.STRIPE_API_KEY);
    // It stays there: Stripe can't remove one.
    await one.close?.();
    expect(await sdk.paymentIntents.retrieve(payment.id)).toMatchObject({ id: payment.id });
  });

  test('has a journal of every page, oldest first, that knows whose each refund is', async () => {
    const { environment } = await openStripe();
    const namespace = await (await openRail(environment)).openNamespace('t');
    const target = openTarget(namespace);
    const { request, distinct } = namespace.examples(1);
    const apply = (key: string, asked = request) =>
      target.apply({ key, request: asked, attempt: 1 });
    expect(await namespace.effects()).toEqual([]);
    await apply('control-77');
    await apply('its-key');
    await namespace.world?.('done-by-hand', request);
    await apply('control-77');
    // A second one that bears the harness's mark is not the harness's.
    await apply('control-78', distinct);
    const effects = await namespace.effects();
    expect(effects.map(({ actor, stamp }) => [actor, stamp])).toEqual([
      ['person', 'control-77'],
      ['subject', 'its-key'],
      ['person', null],
      ['subject', 'control-78'],
    ]);
    expect(effects[1]).toMatchObject({
      subject: request.paymentIntent,
      substance: { amountMinor: request.amountMinor, currency: 'usd' },
    });
    for (let count = 4; count < 103; count += 1) await apply(`more-${count}`);
    const all = await namespace.effects();
    expect(new Set(all.map(({ entityId }) => entityId)).size).toBe(103);
    expect(all.at(-1)).toMatchObject({ stamp: 'more-102', actor: 'subject' });
  });

  test('without a mark is charged to the subject, even when it is the oldest', async () => {
    const { environment, account } = await openStripe();
    const namespace = await (await openRail(environment)).openNamespace('t');
    const { paymentIntent } = namespace.examples(1).request;
    const sdk = openSdk(account, account.credentials);
    await sdk.refunds.create({ payment_intent: String(paymentIntent), amount: 700 });
    expect(await namespace.effects()).toMatchObject([{ actor: 'subject', stamp: null }]);
  });

  test('changes as people change it', async () => {
    const { environment } = await openStripe();
    const namespace = await (await openRail(environment)).openNamespace('t');
    const target = openTarget(namespace);
    const { request } = namespace.examples(1);
    const premises = await target.capture(request);
    const check = async () => (await target.validate(request, premises, 'ours')).kind;
    await namespace.world?.('unrelated-change', request);
    expect(await check()).toBe('hold');
    await namespace.world?.('premise-changed', request);
    expect(await check()).toBe('stale');
    const half = Math.ceil(Number(request.amountMinor) / 2);
    expect(await namespace.effects()).toMatchObject([
      { actor: 'person', substance: { amountMinor: half } },
    ]);
    await expect(namespace.world?.('undone-by-hand', request)).rejects.toThrow(/expected one of/);
    expect(namespace.worldEvents).toEqual(['done-by-hand', 'premise-changed', 'unrelated-change']);
  });

  test.each(['401 Unauthorized', '403 Forbidden'])(
    'of a key that may not read its account (%s) names none',
    async (status) => {
      const { environment } = await openStripe({ 'GET /v1/account': refusal(status, 'not yours') });
      const namespace = await (await openRail(environment)).openNamespace('t');
      expect(namespace.credentials).toEqual({ apiKey: environment.STRIPE_API_KEY });
      const target = openTarget(namespace);
      expect(target.identify(namespace.examples(1).request).account).toBe('default');
    },
  );

  test('waits while as many are open as may be', async () => {
    const { environment } = await openStripe();
    const rail = await openRail(environment, { trialsAtOnce: 1 });
    const first = await rail.openNamespace('one');
    let opened = false;
    const second = rail.openNamespace('two').then((namespace) => {
      opened = true;
      return namespace;
    });
    await first.effects();
    expect(opened).toBe(false);
    await first.close?.();
    await second;
    expect(opened).toBe(true);
  });

  test('is not opened with a key Stripe does not know, which gives its place back and shows no key', async () => {
    const { environment } = await openStripe();
    const wrong = { ...environment, STRIPE_API_KEY: 'sk_test_nobodyKnowsThisOne1234' };
    const rail = await openRail(wrong, { trialsAtOnce: 1 });
    for (const id of ['one', 'two']) {
      const failure = await rail.openNamespace(id).then(
        () => 'opened',
        (error: unknown) => String(error),
      );
      expect(failure).toMatch(/expected to make a test payment; came status 401: .*\[key\]/);
      expect(failure).not.toMatch(/sk_test|1234|nobody/);
    }
  });

  test('is not opened by a service whose certificate nobody vouches for', async () => {
    const { environment, account } = await openStripe();
    const { KILLPOINT_STRIPE_CA: _, ...unknown } = environment;
    const rail = await openRail(unknown);
    await expect(rail.openNamespace('one')).rejects.toThrow(/came no answer/);
    expect(account.requests()).toEqual([]);
  });
});

describe('not one connection', () => {
  test('is opened to say what a namespace could do', async () => {
    const stripe = await openStripe();
    const rail = await openRail(stripe.environment);
    const namespace = await rail.openNamespace('declaration');
    const target = openTarget(namespace);
    expect(target.declaration.lookup).not.toBeNull();
    expect(namespace.examples(1)).toHaveProperty('capped');
    await expect(namespace.effects()).rejects.toThrow(/no payment at Stripe/);
    await namespace.close?.();
    expect(rail.unavailable).toBeUndefined();
    expect(stripe.connections()).toBe(0);
  });

  test('is opened with a live key, nor without a key', async () => {
    let connections = 0;
    const server = createServer(() => {
      connections += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const at = { KILLPOINT_STRIPE_URL: `https://localhost:${port}` };
    const live = await openRail({ ...at, STRIPE_API_KEY: 'sk_live_0123456789abcdef' });
    expect(live.refused).toMatch(/live keys are never used/);
    expect(live.refused).not.toContain('0123');
    const none = await openRail(at);
    expect(none.unavailable).toMatch(/set STRIPE_API_KEY/);
    for (const rail of [live, none]) {
      await expect(rail.openNamespace('a/trial/1')).rejects.toThrow(
        /live keys are never|set STRIPE/,
      );
      const namespace = await rail.openNamespace('declaration');
      expect(JSON.stringify(namespace.credentials)).not.toContain('live');
      const { request } = namespace.examples(1);
      await expect(namespace.effects()).rejects.toThrow();
      await expect(namespace.world?.('done-by-hand', request)).rejects.toThrow();
      expect(namespace.endpoint.host).toBe('api.stripe.com');
    }
    expect(connections).toBe(0);
  });
});

test('options that are not its own are refused', async () => {
  await expect(createRail({ options: { lagMS: 1 } })).rejects.toThrow(/also came lagMS/);
  await expect(createRail({ options: { lagMs: -1 } })).rejects.toThrow(
    /lagMs must be a whole number/,
  );
  await expect(createRail({ options: { trialsAtOnce: 0 } })).rejects.toThrow(/one from 1/);
});
