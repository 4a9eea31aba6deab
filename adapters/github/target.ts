/**
 * Merges and comments through GitHub's official client. In: an already decided effect and its key.
 * Out: what GitHub provably did. It keeps no state, sends one mutating request a call, and never turns
 * a missing or broken answer into a definite one.
 */
import { checkFacts, type Fact, toPremises } from '../premise-facts.ts';
import { redactResult } from '../redact-result.ts';
import { createCallOpener, type SingleCall } from '../single-send.ts';
import {
  type ApplyResult,
  type CreateTarget,
  type EffectTarget,
  InvalidRequestError,
  type JsonObject,
  type QueryResult,
} from '../target.ts';
import { refusedUnsent } from './classify.ts';
import { createGitHubClient } from './client.ts';
import { commentOnce, findComment } from './comment.ts';
import type { CommentReader } from './comments.ts';
import {
  type CommentOptions,
  nameOf,
  parseCredentials,
  parseOptions,
  requireHttp,
} from './configuration.ts';
import { declare } from './declaration.ts';
import { findMerge, mergeOnce } from './merge.ts';
import { readIssueFacts, readPullFacts } from './premises.ts';
import { parseCommentRequest, parseMergeRequest } from './request.ts';
import { whyNotStampable } from './stamp.ts';

interface StampedCall {
  readonly key: string;
  readonly request: JsonObject;
}

/** What differs between the two: which request is read, what is sent, and what is looked for. */
interface Operation {
  /** The number of the pull request or the issue. Throws InvalidRequestError. */
  subjectOf(request: JsonObject): number;
  facts(request: JsonObject, ownKey: string | null): Promise<readonly Fact[]>;
  apply(call: StampedCall): Promise<ApplyResult>;
  query(call: StampedCall): Promise<QueryResult>;
}

export const createTarget: CreateTarget = (config) => {
  const options = parseOptions(config.options);
  const credentials = parseCredentials(config.credentials);
  requireHttp(config.endpoint);
  const calls = createCallOpener(config.endpoint, options.clientTimeoutMs);
  const within: Within = async (work) => {
    const call = calls.open();
    try {
      return await work(call);
    } finally {
      call.end();
      // An answer that came before the whole request leaves its connection open.
      call.cut();
    }
  };
  const client = createGitHubClient(config.endpoint, credentials);
  const { repository, token } = credentials;
  const reach = { client, repository, within };
  const operation = options.operation === 'merge' ? merges(reach) : comments(reach, options);
  // What a server echoes is kept in ledgers and logs.
  const withoutToken = (text: string) => text.replaceAll(token, '[token]').slice(0, 500);

  return {
    name: `github.${options.operation}`,
    declaration: declare(options),
    identify: (request) => ({
      target: 'github',
      account: nameOf(repository),
      operation: options.operation,
      subject: `${nameOf(repository)}#${operation.subjectOf(request)}`,
      keyFields: {},
    }),
    capture: async (request) => {
      try {
        return toPremises(await operation.facts(request, null));
      } catch (error) {
        if (error instanceof InvalidRequestError) throw error;
        throw new Error(
          `Expected to read ${nameOf(repository)}#${operation.subjectOf(request)}; came ${withoutToken(wordsOf(error))}. Ask again when GitHub answers.`,
        );
      }
    },
    validate: async (request, premises, ownKey) => {
      operation.subjectOf(request);
      if (premises.length === 0) return { kind: 'hold' };
      try {
        return checkFacts(await operation.facts(request, ownKey), premises);
      } catch (error) {
        return { kind: 'could-not-tell', detail: withoutToken(wordsOf(error)) };
      }
    },
    apply: async (call) => redactResult(await sendOnce(operation, call), withoutToken),
    query: async (call) => {
      const result = await operation.query(call);
      return result.kind === 'could-not-tell'
        ? { ...result, detail: withoutToken(result.detail) }
        : result;
    },
    close: async () => calls.destroy(),
  } satisfies EffectTarget;
};

/** One deadline for all that the work sends. */
type Within = <T>(work: (call: SingleCall) => Promise<T>) => Promise<T>;

type WithinReach = Omit<CommentReader, 'pageSize'>;

function merges(reach: WithinReach): Operation {
  return {
    subjectOf: (request) => parseMergeRequest(request).pullNumber,
    facts: (request, ownKey) => {
      const { pullNumber } = parseMergeRequest(request);
      return reach.within((call) => readPullFacts(reach, call, { pullNumber, ownKey }));
    },
    apply: ({ key, request }) => {
      const merge = parseMergeRequest(request);
      return reach.within((call) => mergeOnce(reach, call, { key, merge }));
    },
    query: ({ key, request }) => {
      const merge = parseMergeRequest(request);
      return reach.within((call) => findMerge(reach, call, { key, merge }));
    },
  };
}

function comments(reach: WithinReach, { pageSize }: CommentOptions): Operation {
  const reader = { ...reach, pageSize };
  return {
    subjectOf: (request) => parseCommentRequest(request).issueNumber,
    facts: async (request, ownKey) => {
      const { issueNumber } = parseCommentRequest(request);
      return readIssueFacts(reader, { issueNumber, ownKey });
    },
    apply: ({ key, request }) => {
      const comment = parseCommentRequest(request);
      return reach.within((call) => commentOnce(reach, call, { key, comment }));
    },
    query: ({ key, request }) => {
      const comment = parseCommentRequest(request);
      return findComment(reader, { key, comment });
    },
  };
}

/** What can't be stamped or is no request never leaves. */
async function sendOnce(operation: Operation, call: StampedCall): Promise<ApplyResult> {
  const whyNot = whyNotStampable(call.key);
  if (whyNot !== null) return refusedUnsent(`${whyNot}; came ${call.key.length} characters.`);
  try {
    operation.subjectOf(call.request);
  } catch (error) {
    return refusedUnsent(wordsOf(error));
  }
  return operation.apply(call);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
