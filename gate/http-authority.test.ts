import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { JsonObject } from '../adapters/target.ts';
import { authorityTimeoutMs, httpAuthority } from './http-authority.ts';

const live = { kind: 'live', expiresAtMs: null, coversReasons: [] };
const cap = { field: 'amountMinor', limit: 5_000, within: { currency: 'usd' } };
const noCaps: readonly JsonObject[] = [
  { field: 1 },
  { limit: '5000' },
  { limit: -1 },
  { limit: 0.5 },
  { limit: 2 ** 53 },
  { limit: null },
  { within: null },
  { within: [] },
];

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

test.for([
  live,
  { ...live, expiresAtMs: 1_700_000_000_000, coversReasons: ['late delivery'] },
  { ...live, caps: [] },
  { ...live, caps: [cap, { ...cap, limit: 0, within: {} }] },
  { kind: 'dead', reason: 'revoked' },
])('a lease is handed on as it was answered: %j', async (state) => {
  const url = await serve((_request, response) => response.end(JSON.stringify(state)));
  expect(await httpAuthority(url).check('lease-1')).toEqual(state);
});

test('the name of a lease is one part of the path, whatever is in it', async () => {
  let asked = '';
  const url = await serve((request, response) => {
    asked = String(request.url);
    response.end(JSON.stringify(live));
  });
  await httpAuthority(url).check('a/b?c');
  expect(asked).toBe('/leases/a%2Fb%3Fc');
});

test.for([
  'null',
  '[]',
  '"live"',
  '',
  '{"kind":"live"',
  '{}',
  '{"kind":"alive","expiresAtMs":null,"coversReasons":[]}',
  '{"kind":"live","coversReasons":[]}',
  '{"kind":"live","expiresAtMs":"never","coversReasons":[]}',
  '{"kind":"live","expiresAtMs":null}',
  '{"kind":"live","expiresAtMs":null,"coversReasons":[1]}',
  ...['null', '{}', '[null]', '[{}]'].map(withCaps),
  ...noCaps.map((wrong) => withCaps(JSON.stringify([{ ...cap, ...wrong }]))),
  '{"kind":"dead"}',
])('anything but a lease is a dead one: %s', async (body) => {
  const url = await serve((_request, response) => response.end(body));
  expect(await httpAuthority(url).check('lease-1')).toMatchObject({ kind: 'dead' });
});

test.for([500, 503, 404, 201, 302])('a live lease under status %i is dead', async (status) => {
  const url = await serve((_request, response) => {
    response.writeHead(status, { location: '/elsewhere' });
    response.end(JSON.stringify(live));
  });
  const state = await httpAuthority(url).check('lease-1');
  expect(state).toMatchObject({ kind: 'dead', reason: expect.stringContaining(String(status)) });
});

test('an authority that is not there is dead', async () => {
  const url = await serve(() => undefined);
  await new Promise((resolve) => server?.close(resolve));
  expect(await httpAuthority(url).check('lease-1')).toMatchObject({ kind: 'dead' });
});

test('an answer that is cut off is dead', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': 500 });
    response.write(JSON.stringify(live), () => response.destroy());
  });
  expect(await httpAuthority(url).check('lease-1')).toMatchObject({ kind: 'dead' });
});

test('an answer without end is dead before it fills the memory', async () => {
  const url = await serve((_request, response) => {
    const flood = () => {
      while (!response.destroyed && response.write(' '.repeat(16_384)));
    };
    response.on('drain', flood);
    flood();
  });
  const state = await httpAuthority(url).check('lease-1');
  expect(state).toMatchObject({ kind: 'dead', reason: expect.stringContaining('bytes came') });
});

test.for<[string, RequestListener]>([
  ['hangs', () => undefined],
  [
    'trickles',
    (_request, response) => {
      const drip = setInterval(() => response.write(' '), 100);
      response.on('close', () => clearInterval(drip));
    },
  ],
])('an authority that %s is dead when its time is over', async ([, listener]) => {
  const url = await serve(listener);
  const beganMs = performance.now();
  const state = await httpAuthority(url).check('lease-1');
  expect(state).toMatchObject({ kind: 'dead', reason: expect.stringContaining('within') });
  expect(performance.now() - beganMs).toBeLessThan(3 * authorityTimeoutMs);
});

async function serve(listener: RequestListener): Promise<string> {
  const opened = createServer(listener);
  server = opened;
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(opened.address() as AddressInfo).port}`;
}

function withCaps(caps: string): string {
  return `{"kind":"live","expiresAtMs":null,"coversReasons":[],"caps":${caps}}`;
}
