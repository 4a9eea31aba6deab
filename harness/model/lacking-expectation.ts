/** What is expected of a gate that is known to lack rules: findings, or nothing that could be derived. */
import type { FindingName } from './findings.ts';

export type LackingExpectation =
  | { readonly kind: 'cannot-meet'; readonly why: string }
  | { readonly kind: 'reachable'; readonly findings: readonly FindingName[] };

export function found(...findings: readonly FindingName[]): LackingExpectation {
  return { kind: 'reachable', findings };
}

export function cannotMeet(why: string): Extract<LackingExpectation, { kind: 'cannot-meet' }> {
  return { kind: 'cannot-meet', why };
}
