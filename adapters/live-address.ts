/**
 * Where a live service is reached, as a variable of the environment says it. In: a text, and the
 * variable's name. Out: an endpoint or an authority, or what is wrong with it in words. Without TLS a
 * secret could be read on the way, so that nothing else is taken.
 */
import { readFileSync } from 'node:fs';
import type { Endpoint } from './target.ts';

/** The endpoint, or what is wrong with the address. */
export function readSecureUrl(text: string, variable: string): Endpoint | string {
  const expected = `${variable} must be https://HOST or https://HOST:PORT and nothing more`;
  if (!URL.canParse(text)) return `${expected}; came something that is no address`;
  const { protocol, hostname, port, pathname, search, hash, username, password } = new URL(text);
  const more = [search, hash, username, password].join('') !== '' || pathname !== '/';
  if (protocol !== 'https:' || more) {
    return `${expected}; came ${protocol}//${hostname}${more ? ' with more to it' : ''}`;
  }
  // An IPv6 address stands in brackets in an address alone.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return { protocol: 'https', host, port: port === '' ? 443 : Number(port) };
}

/** The endpoint with who vouches for its certificate, or what is wrong with the file. */
export function withAuthority(
  endpoint: Endpoint,
  path: string | undefined,
  variable: string,
): Endpoint | string {
  if (!path) return endpoint;
  const caPem = readAuthority(path);
  return caPem === null
    ? `${variable} must name a file with a certificate authority in PEM; ${path} is none`
    : { ...endpoint, caPem };
}

function readAuthority(path: string): string | null {
  try {
    const pem = readFileSync(path, 'utf8');
    return pem.includes('-----BEGIN CERTIFICATE-----') ? pem : null;
  } catch {
    // What is wrong with the file is the same to whoever set the variable.
    return null;
  }
}
