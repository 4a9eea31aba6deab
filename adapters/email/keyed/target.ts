/**
 * Mail through a service that honours idempotency keys. In: an already decided mail and its key. Out:
 * what the service provably did. It keeps no state, sends a mail once a call, and never turns a missing
 * or broken answer into a definite one.
 */

import { redactResult } from '../../redact-result.ts';
import { createCallOpener } from '../../single-send.ts';
import type { CreateTarget } from '../../target.ts';
import { identifyMail, type MailRequest } from '../request.ts';
import { refusedUnsent } from './classify.ts';
import { createMailClient } from './client.ts';
import { parseClientTimeout, parseCredentials, requireHttp } from './configuration.ts';
import { declare } from './declaration.ts';
import { parseKeyedRequest } from './keyed-request.ts';
import { sendMail } from './send-mail.ts';
import { writeStamp } from './stamp.ts';

const name = 'email.keyed';

export const createTarget: CreateTarget = (config) => {
  const clientTimeoutMs = parseClientTimeout(config.options);
  const { apiKey, team } = parseCredentials(config.credentials);
  requireHttp(config.endpoint);
  const calls = createCallOpener(config.endpoint, clientTimeoutMs);
  const client = createMailClient(config.endpoint, apiKey);
  // What a server echoes is kept in ledgers and logs.
  const withoutKey = (text: string) => text.replaceAll(apiKey, '[api key]').slice(0, 500);

  return {
    name,
    declaration: declare(clientTimeoutMs),
    identify: (request) => {
      parseKeyedRequest(request);
      return identifyMail(name, team, request);
    },
    // A mail relies on nothing that the service knows.
    capture: async (request) => {
      parseKeyedRequest(request);
      return [];
    },
    validate: async (_request, premises) =>
      premises.length === 0
        ? { kind: 'hold' }
        : {
            kind: 'could-not-tell',
            detail: 'this target captures no premises, and these are some',
          },
    apply: async ({ key, request }) => {
      const stamp = writeStamp(key);
      if (stamp === null) {
        return refusedUnsent(
          `a key has 1 to 256 characters, one that is no ASCII letter, digit or dash counting as three for each of its bytes; came ${key.length}.`,
        );
      }
      let mail: MailRequest;
      try {
        mail = parseKeyedRequest(request);
      } catch (error) {
        return refusedUnsent(error instanceof Error ? error.message : String(error));
      }
      const call = calls.open();
      try {
        return redactResult(await sendMail(client, call, { stamp, mail }), withoutKey);
      } finally {
        call.end();
        // An answer that came before the whole request leaves its connection open.
        call.cut();
      }
    },
    close: async () => calls.destroy(),
  };
};
