/**
 * Credits in a Postgres database, through the official driver. In: an already decided credit and its
 * key. Out: what the database provably did. It keeps no state but one connection, makes one
 * transaction a call, and never turns a missing or broken answer into a definite one.
 */
import { redactResult } from '../redact-result.ts';
import {
  type CreateTarget,
  type EffectTarget,
  type FenceResult,
  InvalidRequestError,
  type QueryResult,
  type TargetDeclaration,
} from '../target.ts';
import { classifyNoAnswer, refusedUnsent, wordsOf } from './classify.ts';
import { parseCredentials, parseOptions, requirePostgres, type Variant } from './configuration.ts';
import { createConnection, type Session } from './connection.ts';
import { makeCredit } from './credit.ts';
import { findEffect, plantFence } from './lookup.ts';
import { capturePremises, checkPremises } from './premises.ts';
import { type CreditRequest, parseCreditRequest } from './request.ts';

export { schemaSql } from './schema.ts';

/** Well below what an index of Postgres takes. */
const shapeOfKey = /^[\x21-\x7e]{1,255}$/;

export const createTarget: CreateTarget = (config) => {
  const { variant, clientTimeoutMs, tls } = parseOptions(config.options);
  const credentials = parseCredentials(config.credentials);
  requirePostgres(config.endpoint);
  const connection = createConnection({
    endpoint: config.endpoint,
    credentials,
    tls,
    clientTimeoutMs,
  });
  // What a server or a trigger says is kept in ledgers and logs.
  const withoutPassword = (text: string) =>
    text.replaceAll(credentials.password, '[password]').slice(0, 500);

  /** A read that fails tells nothing. */
  const ask = async <T>(
    read: (session: Session) => Promise<T>,
  ): Promise<T | { readonly kind: 'could-not-tell'; readonly detail: string }> => {
    try {
      return await connection.run(read);
    } catch (error) {
      return { kind: 'could-not-tell', detail: withoutPassword(wordsOf(error)) };
    }
  };

  return {
    name: 'postgres',
    declaration: { ...promises(variant), ...ofEveryVariant, clientTimeoutMs },
    identify: (request) => {
      const { account, reference } = parseCreditRequest(request);
      return {
        target: 'postgres',
        account: credentials.database,
        operation: 'credit',
        subject: `${account}/${reference}`,
        keyFields: {},
      };
    },
    capture: async (request) => {
      const credit = parseCreditRequest(request);
      try {
        return await connection.run((session) => capturePremises(session, credit));
      } catch (error) {
        if (error instanceof InvalidRequestError) throw error;
        throw new Error(`The facts could not be read: ${withoutPassword(wordsOf(error))}`);
      }
    },
    validate: async (request, premises, ownKey) => {
      if (premises.length === 0) return { kind: 'hold' };
      return ask((session) =>
        checkPremises(session, parseCreditRequest(request), { premises, ownKey }),
      );
    },
    apply: async ({ key, request, attempt }) => {
      if (!shapeOfKey.test(key)) {
        return refusedUnsent(
          `a key has 1 to 255 printable ASCII characters without spaces, came ${key.length} of some kind.`,
        );
      }
      let credit: CreditRequest;
      try {
        credit = parseCreditRequest(request);
      } catch (error) {
        return refusedUnsent(wordsOf(error));
      }
      try {
        const given = { key, attempt, credit, variant };
        return redactResult(
          await connection.run((session) => makeCredit(session, given)),
          withoutPassword,
        );
      } catch (error) {
        return redactResult(classifyNoAnswer(error), withoutPassword);
      }
    },
    query: ({ key }): Promise<QueryResult> =>
      ask((session) => findEffect(session, key, variant.name)),
    ...(variant.name === 'fenced' && {
      fence: ({ key }: Parameters<NonNullable<EffectTarget['fence']>>[0]): Promise<FenceResult> =>
        ask((session) => plantFence(session, key)),
    }),
    close: () => connection.close(),
  };
};

/** A database stores no answers and permits a second row as readily as a first. */
const ofEveryVariant = {
  onceByState: false,
  guardsPremises: false,
  storedErrorFinal: false,
  noReturnMark: false,
  premises: ['value-equals', 'version-unchanged'],
} as const;

/** The row of an effect, or the record of what was made, survives the deletion of the credit. */
const seesDeletions = true;

function promises(variant: Variant): Pick<TargetDeclaration, 'dedupe' | 'lookup' | 'absence'> {
  switch (variant.name) {
    case 'unique':
      return {
        dedupe: { windowMs: 'forever' },
        lookup: { lagMs: 0, seesDeletions },
        absence: 'never',
      };
    case 'fenced':
      return { dedupe: null, lookup: { lagMs: variant.lagMs, seesDeletions }, absence: 'fence' };
    case 'lookup': {
      const { lagMs, landingBoundMs } = variant;
      return { dedupe: null, lookup: { lagMs, seesDeletions }, absence: { landingBoundMs } };
    }
    default:
      return variant satisfies never;
  }
}
