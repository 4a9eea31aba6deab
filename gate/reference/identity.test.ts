import { expect, test } from 'vitest';
import { type EffectTarget, InvalidRequestError } from '../../adapters/target.ts';
import { identifyRequest } from './identity.ts';
import { declarations, plainTarget } from './testing/service.ts';

const target: EffectTarget = plainTarget({ apply: never, query: never }, declarations.dedupes);

test('an amount changes the payload and not the decision', () => {
  const twenty = identifyRequest(target, { order: 'o', amountMinor: 20 });
  const thirty = identifyRequest(target, { order: 'o', amountMinor: 30 });
  expect(thirty.decisionKey).toBe(twenty.decisionKey);
  expect(thirty.payloadHash).not.toBe(twenty.payloadHash);
});

test('the order of fields changes nothing', () => {
  expect(identifyRequest(target, { order: 'o', amountMinor: 20 })).toEqual(
    identifyRequest(target, { amountMinor: 20, order: 'o' }),
  );
});

test('digests are whole', () => {
  const { decisionKey, payloadHash } = identifyRequest(target, { order: 'o' });
  expect(decisionKey).toMatch(/^[0-9a-f]{64}$/);
  expect(payloadHash).toMatch(/^[0-9a-f]{64}$/);
});

test('an approval makes another decision of the same payload, and never reaches the target', () => {
  const plain = identifyRequest(target, { order: 'o' });
  const approved = identifyRequest(target, { order: 'o', distinct: { approval: 'a-7' } });
  expect(approved.decisionKey).not.toBe(plain.decisionKey);
  expect(approved.payloadHash).toBe(plain.payloadHash);
  expect(approved.request).not.toContain('distinct');
  const bare = identifyRequest(target, { order: 'o', distinct: 'a-7' });
  expect(bare.decisionKey).toBe(approved.decisionKey);
  const reason = identifyRequest(target, { order: 'o', distinct: { reason: 'a-7' } });
  expect(reason.decisionKey).not.toBe(approved.decisionKey);
});

test('a distinct that is neither an approval nor a reason is refused as a request', () => {
  for (const distinct of [7, '', null, {}, { approval: '' }, { approval: 'a', reason: 'b' }]) {
    expect(() => identifyRequest(target, { order: 'o', distinct })).toThrow(InvalidRequestError);
  }
});

async function never(): Promise<never> {
  throw new Error('identifying a request must not call the service');
}
