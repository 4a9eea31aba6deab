import { createGate } from '../../gate/index.ts';
import { runSubject } from '../../gate/subject.ts';
import { refund } from './refund.ts';

runSubject({
  name: 'wrapped-refund',
  version: '1',
  points: [
    'before_wal',
    'after_wal_before_call',
    'after_call_before_commit',
    'after_commit_before_ack',
  ],
  resolves: true,
  async openGate({ start, target, authority, now, at }) {
    await fetch('data:,'); // It loads itself in its first call, and that is not the service's time.
    const { endpoint, credentials } = start.target;
    const { clientTimeoutMs: timeoutMs } = target.declaration;
    const url = `${endpoint.protocol}://${endpoint.host}:${endpoint.port}`;
    const service = { url, apiKey: String(credentials.apiKey), timeoutMs };
    const apply: typeof target.apply = ({ request, key }) =>
      refund(request as Parameters<typeof refund>[0], key, service).then(
        ({ id, decisionKey }) => ({ kind: 'landed', entityId: id, stamp: decisionKey }),
        (error) => ({ kind: 'unknown', cause: 'server-error', detail: String(error) }),
      );
    return createGate({ target: { ...target, apply }, ledger: start.ledger, authority, now, at });
  },
});
