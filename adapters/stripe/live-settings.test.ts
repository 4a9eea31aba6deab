import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readLiveSettings } from './live-settings.ts';

const secret = 'Ab3dEf6hIj9lMn2pQr5t';
const testKey = { STRIPE_API_KEY: `sk_test_${secret}` };

function whyNot(environment: Record<string, string>, kind: 'refused' | 'unavailable'): string {
  const settings = readLiveSettings(environment);
  if (settings.kind !== kind) throw new Error(`expected ${kind}, came ${settings.kind}`);
  return settings.why;
}

describe('the settings of a live rail', () => {
  test.each(['sk_test_', 'rk_test_'])('take a key that begins with %s to Stripe', (kind) => {
    expect(readLiveSettings({ STRIPE_API_KEY: kind + secret })).toEqual({
      kind: 'ready',
      apiKey: kind + secret,
      endpoint: { protocol: 'https', host: 'api.stripe.com', port: 443 },
    });
  });

  test.each([{}, { STRIPE_API_KEY: '' }, { KILLPOINT_STRIPE_URL: 'https://localhost' }])(
    'without a key say what to set: %j',
    (environment) => {
      expect(whyNot(environment, 'unavailable')).toMatch(
        /set STRIPE_API_KEY to one of .*sk_test_…/,
      );
    },
  );

  test.each([
    ['sk_live_', /a live one \(sk_live_…\); live keys are never used/],
    ['rk_live_', /a live one \(rk_live_…\); live keys are never used/],
    ['pk_live_', /a live one/],
    ['pk_test_', /publishable/],
    ['sk_org_', /something else/],
    ['', /something else/],
    ['sk_test_ ', /something else/],
    ['sk_test', /something else/],
  ])('refuse a key that begins with %j, and show nothing of the rest', (kind, why) => {
    const said = whyNot({ ...testKey, STRIPE_API_KEY: kind + secret }, 'refused');
    expect(said).toMatch(why);
    expect(said).toContain('nothing was sent');
    for (let at = 0; at + 3 <= secret.length; at += 1) {
      expect(said).not.toContain(secret.slice(at, at + 3));
    }
  });

  test('a live key is refused whatever else is set', () => {
    const environment = {
      STRIPE_API_KEY: `sk_live_${secret}`,
      KILLPOINT_STRIPE_URL: 'https://localhost:8443',
    };
    expect(whyNot(environment, 'refused')).toContain('live keys are never used');
  });

  test('may name another Stripe, and who vouches for it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'killpoint-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'ca.pem');
    writeFileSync(path, '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n');
    const environment = {
      ...testKey,
      KILLPOINT_STRIPE_URL: 'https://localhost:8443/',
      KILLPOINT_STRIPE_CA: path,
    };
    expect(readLiveSettings(environment)).toMatchObject({
      endpoint: { host: 'localhost', port: 8443, caPem: expect.stringContaining('BEGIN') },
    });
    writeFileSync(path, 'nothing of the kind');
    expect(whyNot(environment, 'refused')).toMatch(
      /KILLPOINT_STRIPE_CA must name a file .* is none/,
    );
    rmSync(path);
    expect(whyNot(environment, 'refused')).toMatch(/KILLPOINT_STRIPE_CA must name a file/);
  });

  test.each([
    'http://localhost:8443',
    'localhost:8443',
    'no address',
    'https://localhost/v1',
    'https://me:hidden@localhost',
  ])('refuse an address that is not one over TLS and nothing more: %s', (url) => {
    const said = whyNot({ ...testKey, KILLPOINT_STRIPE_URL: url }, 'refused');
    expect(said).toContain('KILLPOINT_STRIPE_URL must be https://HOST');
    expect(said).not.toContain('hidden');
  });
});
