/** What a stand-in leaves behind is a repository for git itself, not only for the library that wrote it. */
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { headOf, mergeBody, openGitHub } from './testing/github.ts';

function versionOfGit(): string | null {
  try {
    return execFileSync('git', ['--version'], { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}

const isMissing = versionOfGit() === null;
const title = isMissing
  ? 'git reads what was merged (skipped: no git binary is installed here)'
  : 'git reads what was merged';

describe('the repository', () => {
  test.skipIf(isMissing)(title, async () => {
    const { namespace, subject } = await openGitHub('merge');
    const git = (...words: readonly string[]) =>
      execFileSync('git', ['--git-dir', namespace.gitdir, ...words], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
      }).trimEnd();
    const base = git('rev-parse', 'main');
    for (const event of ['premise-changed', 'premise-changed-and-back'] as const) {
      await namespace.world(event, { pullNumber: 2 });
    }
    const shas: string[] = [];
    for (const [number, method] of [
      [1, 'merge'],
      [2, 'squash'],
      [3, 'rebase'],
    ] as const) {
      const head = await headOf(subject, number);
      const body = mergeBody(head, `key-${number}`, method);
      shas.push((await subject(`PUT /pulls/${number}/merge`, body)).data.sha);
    }
    const [merged = '', squashed = '', rebased = ''] = shas;

    expect(git('fsck', '--strict', '--no-dangling')).toBe('');
    expect(git('log', '--first-parent', '--format=%H', 'main').split('\n')).toEqual([
      rebased,
      squashed,
      merged,
      base,
    ]);
    const parents = (sha: string) => git('log', '-1', '--format=%P', sha).split(' ');
    expect(parents(merged)).toEqual([base, git('rev-parse', 'refs/pull/1/head')]);
    expect(parents(squashed)).toEqual([merged]);
    expect(parents(rebased)).toEqual([squashed]);
    const trailers = (sha: string) =>
      git('log', '-1', '--format=%(trailers:key=Effect-Id,valueonly)', sha).trim();
    expect([trailers(merged), trailers(squashed), trailers(rebased)]).toEqual([
      'key-1',
      'key-2',
      '',
    ]);
    expect(git('ls-tree', '--name-only', 'main').split('\n')).toEqual([
      'README.md',
      'change-2.txt',
      'one.txt',
      'three.txt',
      'two.txt',
    ]);
    expect(git('for-each-ref', '--format=%(refname)', 'refs/heads').split('\n')).toEqual([
      'refs/heads/change-4',
      'refs/heads/change-5',
      'refs/heads/main',
    ]);
    const journal = await namespace.effects();
    expect(journal.map(({ entityId, stamp }) => [entityId, stamp])).toEqual([
      [merged, 'key-1'],
      [squashed, 'key-2'],
      [rebased, null],
    ]);
  });
});
