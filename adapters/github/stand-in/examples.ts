/** What a trial asks of a repository. In: an operation, a seed and the pull requests there. Out: four requests. */
import { createHash } from 'node:crypto';
import type { Examples } from '../../rail.ts';
import type { JsonObject } from '../../target.ts';
import { issueNumbers } from './book.ts';
import type { TemplatePull } from './template.ts';

/** A pull request is merged once, so that the second decision and the look-alike are about others. */
export function mergeExamples(pulls: readonly TemplatePull[]): Examples {
  const merge = (number: number): JsonObject => {
    const sha = pulls.find((pull) => pull.number === number)?.headSha ?? null;
    return { operation: 'merge', pullNumber: number, sha, method: 'merge' };
  };
  const request = merge(1);
  const changed = { ...request, method: 'squash' };
  return { request, changed, distinct: merge(2), lookAlike: merge(3) };
}

export function commentExamples(seed: number): Examples {
  const digest = createHash('sha256').update(`github example ${seed}`).digest();
  const request: JsonObject = {
    operation: 'comment',
    issueNumber: issueNumbers.example,
    body: `Release ${digest.toString('hex', 0, 6)} is approved.`,
  };
  return {
    request,
    changed: { ...request, body: `Release ${digest.toString('hex', 6, 12)} is approved.` },
    distinct: { ...request, distinct: `approval-${digest.toString('hex', 20, 28)}` },
    lookAlike: request,
  };
}
