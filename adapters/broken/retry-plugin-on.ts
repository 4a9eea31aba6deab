/** Stands in for `github/octokit.ts`: the client is the one that most people install, which sends again. */
import type { Octokit } from '@octokit/core';
import { retry } from '@octokit/plugin-retry';
import { openOctokit as openSound } from '../github/octokit.ts';

export * from '../github/octokit.ts';

export function openOctokit(...given: Parameters<typeof openSound>): Octokit {
  const octokit = openSound(...given);
  retry(octokit, {});
  return octokit;
}
