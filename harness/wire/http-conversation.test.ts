import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../adapters/target.ts';
import { HttpConversation } from './http-conversation.ts';

/** What the service is given of the text. */
function given(service: Endpoint, text: string): string {
  const steps = new HttpConversation(service).requests.push(Buffer.from(text, 'latin1'));
  const raw = steps.flatMap((step) => (step.kind === 'whole' ? step.request.raw : []));
  return Buffer.concat(raw).toString('latin1');
}

const service = (part: Partial<Endpoint>): Endpoint => ({
  protocol: 'https',
  host: 'api.example',
  port: 443,
  ...part,
});
const odd =
  'POST /x?Host:y HTTP/1.1\r\nx-odd:\xe9 \r\nhOsT:127.0.0.1:9 \r\nContent-Length: 9\r\n\r\nHost: a\r\n';

describe('a request to a service behind TLS', () => {
  it.each([
    ['without the usual port', service({}), 'api.example'],
    ['with another port', service({ port: 8443 }), 'api.example:8443'],
    ['with an address of version 6 in brackets', service({ host: '::1', port: 1 }), '[::1]:1'],
  ])('names it as its host, %s, and is else the same to the byte', (_name, endpoint, host) => {
    expect(given(endpoint, odd)).toBe(odd.replace('hOsT:127.0.0.1:9 ', `hOsT: ${host}`));
  });

  it('that names no host is left without one', () => {
    const bare = 'GET / HTTP/1.0\r\nx: y\r\n\r\n';
    expect(given(service({}), bare)).toBe(bare);
  });
});

it('a request to a service without TLS is the same to the byte', () => {
  expect(given(service({ protocol: 'http' }), odd)).toBe(odd);
});
