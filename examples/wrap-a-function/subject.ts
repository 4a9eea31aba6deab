import { createGate } from '../../gate/index.ts';
import { runSubject } from '../../gate/subject.ts';
import { refund } from './refund.ts';

runSubject({
  name: 'wrapped-refund',
  version: '1',
  points: ['before_wal', 'after_wal_before_call', 'after_call_before_commit'],
  resolves: true,
  openGate({ start, target, authority, now, at }) {
    const { endpoint, credentials } = start.target;
    const service = {
      url: `${endpoint.protocol}://${endpoint.host}:${endpoint.port}`,
      apiKey: String(credentials.apiKey),
      timeoutMs: start.declaration.clientTimeoutMs,
    };
    const apply: typeof target.apply = async ({ request, key }) => {
      const { paymentIntent, amountMinor } = request as Parameters<typeof refund>[0];
      return refund({ paymentIntent, amountMinor }, key, service).then(
        ({ id, decisionKey }) => ({ kind: 'landed', entityId: id, stamp: decisionKey }),
        (error) => ({ kind: 'unknown', cause: 'server-error', detail: String(error) }),
      );
    };
    return createGate({ target: { ...target, apply }, ledger: start.ledger, authority, now, at });
  },
});
