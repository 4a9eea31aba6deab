/**
 * Whole trials as `killpoint run` has them of a live GitHub, with the stand-in in GitHub's place: subject in
 * plain HTTP to the wire, wire to the guard, guard over TLS to a service known by an address and an
 * authority.
 */
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openSecureGitHub } from '../../adapters/github/testing/secure-github.ts';
import type { TargetEntry } from '../plan/catalogue-entry.ts';
import { removeTemporaryFolders, runCells, source } from './testing/run-cells.ts';

afterAll(() => removeTemporaryFolders());

/** The service is near: what is waited for in it is less, and nothing else is different. */
const targets = source.targets
  .filter(({ name }) => name.startsWith('github.live'))
  .map((entry): TargetEntry => {
    const { operation = null } = entry.target.options;
    const bound = operation === 'merge' ? { landingBoundMs: 200 } : {};
    const options = { ...entry.target.options, ...bound, lagMs: 40, clientTimeoutMs: 1_000 };
    return {
      ...entry,
      target: { ...entry.target, options },
      rail: { ...entry.rail, options: { operation } },
    };
  });

describe('a trial at a GitHub behind TLS', () => {
  it.each([
    ['merge', 'during_call:now/none/none'],
    ['merge', 'after_wal_before_call/none/done-by-hand'],
    ['merge', 'during_call:later/none/premise-changed'],
    ['comment', 'during_call:now/none/none'],
    ['comment', 'after_call_before_commit/reply-lost@first-send/none'],
    ['comment', 'during_call:now/none/premise-changed'],
  ] as const)('of a %s holds at %s, and leaves nothing open', async (operation, scenario) => {
    const github = await openSecureGitHub(operation);
    onTestFinished(() => github.close());
    const id = `reference/github.live-${operation}/${scenario}/same-again`;
    const { records, historyOf } = await runCells([id], {
      targets,
      environment: github.environment,
    });
    const [record] = records;
    expect(record).toMatchObject({ verdict: 'holds' });
    if (record === undefined) throw new Error('no record');
    expect(historyOf(record)).not.toContain(github.tokens.subject);
    const closed = operation === 'merge' ? 'DELETE /repos/' : 'PATCH /repos/';
    expect(github.came.filter((asked) => asked.startsWith(closed))).not.toEqual([]);
  });
});
