/** The targets of `adapters/github/`, against its stand-in and against GitHub itself. */
import type { TargetEntry } from './catalogue-entry.ts';

/** What the local targets of every service have in common. */
export interface GitHubSurroundings {
  /** A module by its path below the root. */
  readonly at: (path: string) => string;
  readonly clientTimeoutMs: number;
  readonly lookup: { readonly lagMs: number; readonly pageSize: number };
}

/**
 * GitHub itself, for the time of a trial: it ends a request after 10 s, and a merge is two of them.
 * How long its answers lag behind is not its word; `adapters/github/README.md` has what they are in
 * production.
 */
const live = { clientTimeoutMs: 12_000, lagMs: 3_000, landingBoundMs: 15_000, pageSize: 3 };

/** A merge is two requests, and the first of them writes to a git repository. */
const localMerge = { clientTimeoutMs: 400, landingBoundMs: 200 };

export function githubTargets(local: GitHubSurroundings): readonly TargetEntry[] {
  const { at, clientTimeoutMs } = local;
  const { lagMs, pageSize } = local.lookup;
  const entry = (
    name: string,
    about: string,
    rail: 'rail' | 'live-rail',
    options: TargetEntry['target']['options'],
  ): TargetEntry => ({
    name,
    about,
    target: { module: at('adapters/github/target'), export: 'createTarget', options },
    rail: {
      module: at(`adapters/github/${rail}`),
      export: 'createRail',
      options: { operation: options.operation ?? null, lagMs: options.lagMs ?? null },
    },
  });
  return [
    entry(
      'github.merge',
      'merges of pull requests at a reviewed head, stamped by a trailer',
      'rail',
      {
        operation: 'merge',
        ...localMerge,
        lagMs,
      },
    ),
    entry(
      'github.comment',
      'comments on issues, found by a hidden line, where absence is never final',
      'rail',
      { operation: 'comment', clientTimeoutMs, lagMs, pageSize },
    ),
    entry('github.live-merge', 'merges at GitHub itself, in a sandbox repository', 'live-rail', {
      operation: 'merge',
      clientTimeoutMs: live.clientTimeoutMs,
      lagMs: live.lagMs,
      landingBoundMs: live.landingBoundMs,
    }),
    entry(
      'github.live-comment',
      'comments at GitHub itself, in a sandbox repository',
      'live-rail',
      {
        operation: 'comment',
        clientTimeoutMs: live.clientTimeoutMs,
        lagMs: live.lagMs,
        pageSize: live.pageSize,
      },
    ),
  ];
}
