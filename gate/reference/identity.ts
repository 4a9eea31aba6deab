/**
 * What makes two requests the same decision, and what makes them the same payload.
 *
 * In: a target and a caller's request. Out: the decision key (who does what to what), the payload
 * hash (with which substance) and the request as the target may see it. Digests are whole SHA-256
 * over RFC 8785 canonical JSON: a cut digest collides, and a collision here is a lost effect.
 */
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import {
  type EffectIdentity,
  type EffectTarget,
  InvalidRequestError,
  type JsonObject,
  type JsonValue,
} from '../../adapters/target.ts';

/** Raised only when the meaning of a key changes; stored keys are read back, never recomputed. */
const keyVersion = 1;

/** What sets a second, equal effect apart: a person's approval, or a reason a lease must cover. */
export type Distinct = { readonly approval: string } | { readonly reason: string };

export interface IdentifiedRequest {
  readonly decisionKey: string;
  readonly payloadHash: string;
  readonly identity: EffectIdentity;
  /** The request without `distinct`, in canonical JSON. */
  readonly request: string;
  readonly distinct: Distinct | null;
}

/** Throws InvalidRequestError; records and sends nothing. */
export function identifyRequest(target: EffectTarget, asked: JsonObject): IdentifiedRequest {
  const { distinct: stated, ...request } = asked;
  const distinct = stated === undefined ? null : readDistinct(stated);
  const identity = target.identify(request);
  const canonicalRequest = canonicalJson(request);
  return {
    decisionKey: decisionKeyOf(identity, distinct),
    payloadHash: sha256(canonicalRequest),
    identity,
    request: canonicalRequest,
    distinct,
  };
}

export function decisionKeyOf(identity: EffectIdentity, distinct: Distinct | null): string {
  const { target, account, operation, subject, keyFields } = identity;
  return sha256(
    canonicalJson({ v: keyVersion, target, account, operation, subject, keyFields, distinct }),
  );
}

export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** RFC 8785. Throws InvalidRequestError for what JSON can't hold. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) {
    throw new InvalidRequestError(`expected a JSON value, got ${typeof value}`);
  }
  return text;
}

function readDistinct(value: JsonValue): Distinct {
  // A bare string is an approval's id.
  if (typeof value === 'string' && value !== '') return { approval: value };
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const [field, ...others] = Object.entries(value);
    if (field !== undefined && others.length === 0) {
      const [name, text] = field;
      if (typeof text === 'string' && text !== '') {
        if (name === 'approval') return { approval: text };
        if (name === 'reason') return { reason: text };
      }
    }
  }
  throw new InvalidRequestError(
    `distinct: expected an approval's id, { approval: string } or { reason: string }, got ${JSON.stringify(value)}`,
  );
}
