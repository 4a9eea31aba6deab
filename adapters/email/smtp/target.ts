/**
 * Mails over SMTP. In: an already decided mail to one recipient and its key. Out: what the server
 * provably did with it. Nobody can be asked afterwards whether a mail was sent, so an attempt whose
 * reply was lost stays unknown; one that never came to its final dot had no effect. It keeps no state,
 * sends one mail a call over a connection of its own, and never turns a missing or broken answer into
 * a definite one.
 */
import { redactResult } from '../../redact-result.ts';
import {
  type ApplyResult,
  type CreateTarget,
  type EffectCall,
  InvalidRequestError,
  type TargetDeclaration,
} from '../../target.ts';
import { identifyMail, type MailRequest, messageIdOf, parseMailRequest } from '../request.ts';
import { classifyEnding } from './classify.ts';
import { composeMessage } from './compose.ts';
import {
  type Credentials,
  type Options,
  parseCredentials,
  parseOptions,
  requireSmtp,
} from './configuration.ts';
import { MailCall, type MailServer } from './send-once.ts';

export { perRecipient, type SharedMessage } from '../per-recipient.ts';

const name = 'email.smtp';
/** Three characters for each of its bytes, and the longest domain, must fit on one line (RFC 5322 2.1.1). */
const maxKeyBytes = 240;

export const createTarget: CreateTarget = ({ endpoint, credentials, options, now }) => {
  const server: MailServer = {
    endpoint,
    credentials: parseCredentials(credentials),
    options: parseOptions(options),
  };
  requireSmtp(endpoint, server.options);
  const account = server.credentials?.user ?? 'anonymous';
  const calls = new Set<MailCall>();
  const send = async (call: EffectCall, mail: MailRequest): Promise<ApplyResult> => {
    const { key, markNoReturn } = call;
    const mailing = {
      ...mail,
      message: await composeMessage(mail, { key, nowMs: now() }),
      beforeDot: server.options.mark ? markNoReturn : undefined,
    };
    const sending = new MailCall(server, mailing);
    calls.add(sending);
    const { how, dotSent } = await sending.ended;
    calls.delete(sending);
    // It is the caller's own, and proves nothing about the service.
    if (how.kind === 'stopped') throw how.thrown;
    return classifyEnding({ how, dotSent }, { key, messageId: messageIdOf(key, mail) });
  };

  return {
    name,
    declaration: declarationOf(server.options),
    identify: (request) => identifyMail(name, account, request),
    capture: async () => [],
    validate: async (_request, [premise]) =>
      premise === undefined
        ? { kind: 'hold' }
        : { kind: 'could-not-tell', detail: `no premise is read here; came ${premise.fact}` },
    apply: async (call) => {
      let mail: MailRequest;
      try {
        mail = readCall(call);
      } catch (error) {
        if (error instanceof InvalidRequestError) return refusedUnsent(error);
        throw error;
      }
      return withoutSecrets(await send(call, mail), server.credentials);
    },
    close: async () => {
      for (const call of calls) call.cut();
    },
  };
};

function readCall({ key, request }: EffectCall): MailRequest {
  const bytes = Buffer.byteLength(key);
  if (bytes > 0 && bytes <= maxKeyBytes) return parseMailRequest(request);
  throw new InvalidRequestError(`a key has 1 to ${maxKeyBytes} bytes, came ${bytes}.`);
}

function refusedUnsent({ message }: InvalidRequestError): ApplyResult {
  return { kind: 'refused', reason: `Nothing was sent: ${message}`, mendable: false };
}

function declarationOf({ clientTimeoutMs, mark }: Options): TargetDeclaration {
  return {
    dedupe: null,
    onceByState: false,
    guardsPremises: false,
    lookup: null,
    absence: 'never',
    storedErrorFinal: false,
    noReturnMark: mark,
    premises: [],
    clientTimeoutMs,
  };
}

function withoutSecrets(result: ApplyResult, credentials: Credentials | null): ApplyResult {
  const secrets = credentials === null ? [] : waysToWrite(credentials);
  const clean = (text: string) =>
    secrets.reduce((said, secret) => said.replaceAll(secret, '[pass]'), text).slice(0, 500);
  return redactResult(result, clean);
}

/** As it is, and as AUTH LOGIN and AUTH PLAIN send it. */
function waysToWrite({ user, pass }: Credentials): readonly string[] {
  const sent = [pass, `\0${user}\0${pass}`].map((text) => Buffer.from(text).toString('base64'));
  return [pass, ...sent];
}
