/**
 * Entries in a ledger that can be fenced. In: an already decided posting and its key. Out: what the
 * ledger provably did. It keeps no state, sends one posting a call, and never turns a missing or
 * broken answer into a definite one.
 */
import type { Reply } from '../json-reply.ts';
import { redactResult } from '../redact-result.ts';
import { createCallOpener, NoAnswerError, type SingleCall } from '../single-send.ts';
import type { ApplyResult, CreateTarget, EffectCall, TargetDeclaration } from '../target.ts';
import { classifyNoAnswer, classifyPosting, readFence, refusedUnsent } from './classify.ts';
import { createLedgerClient, type LedgerClient } from './client.ts';
import { parseCredentials, parseOptions, requireHttp, type Variant } from './configuration.ts';
import { type Ask, type CouldNotTell, lookups } from './lookups.ts';
import { fencePathOf } from './paths.ts';
import { capturePremises, checkPremises, type ReadReference } from './premises.ts';
import { type PostRequest, parsePostRequest } from './request.ts';

/** The ledger takes no longer id. */
const maxKeyLength = 200;

export const createTarget: CreateTarget = (config) => {
  const { variant, clientTimeoutMs } = parseOptions(config.options);
  const { token, ledger } = parseCredentials(config.credentials);
  requireHttp(config.endpoint);
  const calls = createCallOpener(config.endpoint, clientTimeoutMs);
  const client = createLedgerClient(config.endpoint, token);
  // What a server echoes is kept in ledgers and logs.
  const withoutToken = (text: string) => text.replaceAll(token, '[token]').slice(0, 500);

  /** One deadline for all that a call sends. */
  const within = async <T>(work: (call: SingleCall) => Promise<T>): Promise<T> => {
    const call = calls.open();
    try {
      return await work(call);
    } finally {
      call.end();
      // An answer that came before the whole request leaves its connection open.
      call.cut();
    }
  };
  const ask: Ask = async (method, path, classify) => {
    const result = await within((call) =>
      client.send(call, { method, path }).then(classify, toCouldNotTell),
    );
    return result.kind === 'could-not-tell'
      ? { ...result, detail: withoutToken(result.detail) }
      : result;
  };
  const readReference: ReadReference = (posting) =>
    within((call) => client.send(call, { method: 'GET', path: referencePathOf(posting) }));

  return {
    name: 'ledgered',
    declaration: { ...promises(variant), ...ofEveryVariant, clientTimeoutMs },
    identify: (request) => {
      const { account, reference } = parsePostRequest(request);
      return {
        target: 'ledgered',
        account: ledger,
        operation: 'post',
        subject: `${account}/${reference}`,
        keyFields: {},
      };
    },
    capture: async (request) => {
      const posting = parsePostRequest(request);
      try {
        return await capturePremises(readReference, posting);
      } catch (error) {
        throw new Error(
          `Expected to read ${posting.account}/${posting.reference}; came ${withoutToken(String(error))}. Ask again when the ledger answers.`,
        );
      }
    },
    validate: async (request, premises, ownKey) => {
      const posting = parsePostRequest(request);
      const check = await checkPremises(readReference, posting, { premises, ownKey });
      return check.kind === 'could-not-tell'
        ? { ...check, detail: withoutToken(check.detail) }
        : check;
    },
    apply: async (call) =>
      redactResult(
        await within((single) => post(client, single, { ...call, variant })),
        withoutToken,
      ),
    ...(variant.name === 'fence' && lookups(ask)),
    close: async () => calls.destroy(),
  };
};

interface Posting extends EffectCall {
  readonly variant: Variant;
}

async function post(
  client: LedgerClient,
  call: SingleCall,
  { key, request, attempt, variant, markNoReturn }: Posting,
): Promise<ApplyResult> {
  if (key.length === 0 || key.length > maxKeyLength) {
    return refusedUnsent(`a key has 1 to ${maxKeyLength} characters, came ${key.length}.`, false);
  }
  let posting: PostRequest;
  try {
    posting = parsePostRequest(request);
  } catch (error) {
    return refusedUnsent(error instanceof Error ? error.message : String(error), false);
  }
  const takeOver: TakeOver =
    variant.name === 'fence' && attempt > 1
      ? await readTakeOver(client, call, key)
      : { kind: 'send', supersedes: null };
  if (takeOver.kind === 'done') return takeOver.result;
  const { supersedes } = takeOver;
  try {
    const reply = await client.send(call, {
      method: 'POST',
      path: '/entries',
      body: { id: key, ...posting, ...(supersedes !== null && { supersedes }) },
      ...(variant.name === 'marked' &&
        markNoReturn !== undefined && { beforeLastByte: markNoReturn }),
    });
    return classifyPosting(reply);
  } catch (error) {
    if (error instanceof NoAnswerError) return classifyNoAnswer(error);
    throw error;
  }
}

type TakeOver =
  | { readonly kind: 'send'; readonly supersedes: number | null }
  | { readonly kind: 'done'; readonly result: ApplyResult };

/**
 * Which fence a further attempt replaces. The ledger is asked, not the gate: a gate that died between
 * fence and resend remembers none, and one planted by another incarnation is as good.
 */
async function readTakeOver(
  client: LedgerClient,
  call: SingleCall,
  key: string,
): Promise<TakeOver> {
  const done = (result: ApplyResult): TakeOver => ({ kind: 'done', result });
  let reply: Reply;
  try {
    reply = await client.send(call, { method: 'GET', path: fencePathOf(key) });
  } catch (error) {
    return done(refusedUnsent(`the fence could not be read: ${String(error)}`, true));
  }
  const reading = readFence(reply, key);
  return reading === null
    ? done(refusedUnsent(`the fence could not be read: status ${reply.status}`, true))
    : { kind: 'send', supersedes: reading.fence?.version ?? null };
}

function referencePathOf({ account, reference }: PostRequest): string {
  return `/accounts/${encodeURIComponent(account)}/references/${encodeURIComponent(reference)}`;
}

function toCouldNotTell(error: unknown): CouldNotTell {
  return { kind: 'could-not-tell', detail: error instanceof Error ? error.message : String(error) };
}

/** The ledger reads no key: a posting sent twice is two entries unless a fence stops one. */
const ofEveryVariant = {
  dedupe: null,
  onceByState: false,
  guardsPremises: false,
  storedErrorFinal: false,
  premises: ['value-equals', 'version-unchanged'],
} as const;

function promises(
  variant: Variant,
): Pick<TargetDeclaration, 'lookup' | 'absence' | 'noReturnMark'> {
  switch (variant.name) {
    case 'fence': {
      // An entry that was reversed stays under its id, and a fence finds it there.
      const lookup = { lagMs: variant.lagMs, seesDeletions: true };
      return { lookup, absence: 'fence', noReturnMark: false };
    }
    case 'marked':
      return { lookup: null, absence: 'never', noReturnMark: true };
    default:
      return variant satisfies never;
  }
}
