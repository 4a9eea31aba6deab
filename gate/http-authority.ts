/**
 * An authority over HTTP: GET `${url}/leases/${lease}`, status 200, a LeaseState as JSON. In: a lease's
 * name. Out: its state. Never rejects and never takes longer than its bound: an authority that can't
 * be reached, hangs, trickles or answers anything but a lease counts as dead.
 */
import { get, type IncomingMessage } from 'node:http';
import { bounded } from './bounded.ts';
import type { Authority, LeaseState } from './gate.ts';
import { readLeaseState } from './lease.ts';

/** From the call to the last byte of the answer. */
export const authorityTimeoutMs = 1_000;
/** A lease is a few hundred bytes; an answer that never ends must not fill the memory. */
const maxAnswerBytes = 64 * 1024;

export function httpAuthority(url: string): Authority {
  return {
    check: async (lease) => {
      const giveUp = new AbortController();
      const call = ask(`${url}/leases/${encodeURIComponent(lease)}`, giveUp.signal);
      try {
        const answer = await bounded(call, authorityTimeoutMs);
        if (answer.kind === 'answered') return answer.value;
        giveUp.abort();
        return dead(`no whole answer within ${authorityTimeoutMs} ms`);
      } catch (thrown) {
        return dead(String(thrown));
      }
    },
  };
}

async function ask(url: string, signal: AbortSignal): Promise<LeaseState> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent: false, signal }, resolve).on('error', reject);
  });
  const body = await readBody(response);
  if (response.statusCode !== 200) return dead(`it answered HTTP ${response.statusCode}`);
  return readLeaseState(JSON.parse(body));
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  for await (const chunk of response) {
    const bytes = chunk as Buffer;
    receivedBytes += bytes.length;
    if (receivedBytes > maxAnswerBytes) throw new Error(`more than ${maxAnswerBytes} bytes came`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function dead(why: string): LeaseState {
  return { kind: 'dead', reason: `the authority gave no answer: ${why}` };
}
