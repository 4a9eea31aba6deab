/**
 * How the official client is set up: the bare core, without the plugins by which `octokit` sends again
 * what was answered with an error or not at all.
 */
import { Octokit } from '@octokit/core';
import type { Endpoint } from '../target.ts';

/** The version whose answers are read here; written out so that none is chosen for us. */
const apiVersion = '2022-11-28';

const ignore = () => undefined;
/** The client warns on the console of what GitHub means to change; a target writes nowhere. */
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

export function openOctokit({ protocol, host, port }: Endpoint, token: string): Octokit {
  const octokit = new Octokit({
    auth: token,
    baseUrl: `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    userAgent: 'killpoint',
    log: silent,
    request: { log: silent },
  });
  octokit.hook.before('request', (options) => {
    options.headers['x-github-api-version'] = apiVersion;
  });
  return octokit;
}
