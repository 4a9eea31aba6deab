/** A connection that ends in order in place of a reply: no byte of one, and no break either. */
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { decide, RawClient, startLittleService, watchWire } from './testing/little-service.ts';
import type { Handling } from './wire.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

it.each<[Handling['upstream'], readonly string[], readonly string[]]>([
  ['forward', ['forwarded', 'replied', 'dropped'], ['a']],
  ['discard', ['dropped'], []],
  ['hold', ['held'], []],
])('an end in place of the reply to a request that is to %s', async (upstream, steps, journal) => {
  const service = await startLittleService();
  closers.push(() => service.close());
  const watched = await watchWire(service.endpoint, decide({ upstream, reply: 'end' } as Handling));
  closers.push(() => watched.wire.close());
  const client = new RawClient(watched.endpoint);
  let broke = false;
  client.socket.on('error', () => {
    broke = true;
  });
  client.socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na');
  await once(client.socket, 'end');
  await client.closed();
  expect([broke, client.received.length]).toEqual([false, 0]);
  expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
  expect(watched.types()).toEqual(['request-began', 'request-whole', ...steps]);
  expect(service.journal).toEqual(journal);
  watched.wire.release();
  expect(await watched.wire.whenQuiet(1000)).toBe(true);
  expect(service.journal).toEqual(upstream === 'discard' ? [] : ['a']);
});
