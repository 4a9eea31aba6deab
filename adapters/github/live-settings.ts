/**
 * Which repository of GitHub a live rail may use, and with which tokens. In: environment variables.
 * Out: both, or why nothing can be run (nothing is given), or why nothing may be (settings that can't
 * be meant). Nothing here touches the network, and no text holds any of a token.
 */
import { readSecureUrl, withAuthority } from '../live-address.ts';
import type { RailConfig } from '../rail.ts';
import type { Endpoint } from '../target.ts';
import { parseRepository, type Repository } from './configuration.ts';

export const tokenVariable = 'KILLPOINT_GITHUB_TOKEN';
export const sandboxVariable = 'KILLPOINT_GITHUB_SANDBOX';
export const personVariable = 'KILLPOINT_GITHUB_PERSON_TOKEN';
export const urlVariable = 'KILLPOINT_GITHUB_URL';
export const caVariable = 'KILLPOINT_GITHUB_CA';

export interface ReadyGitHub {
  readonly kind: 'ready';
  readonly token: string;
  /** What people sign with; null: with the same token, and are told apart by label. */
  readonly personToken: string | null;
  /** The one repository that anything is done in. */
  readonly sandbox: Repository;
  readonly endpoint: Endpoint;
}

export type LiveSettings =
  | ReadyGitHub
  | { readonly kind: 'unavailable' | 'refused'; readonly why: string };

export const githubEndpoint: Endpoint = { protocol: 'https', host: 'api.github.com', port: 443 };

export function readLiveSettings(environment: RailConfig['environment'] = {}): LiveSettings {
  const token = environment[tokenVariable];
  const named = environment[sandboxVariable];
  if (!token || !named) {
    return {
      kind: 'unavailable',
      why: `GitHub itself needs a token and a repository to make effects in: set ${tokenVariable}, and ${sandboxVariable} to the owner/name of a sandbox`,
    };
  }
  const sandbox = parseRepository(named);
  if (sandbox === null) {
    return refused(`${sandboxVariable} must be owner/name; came something else`);
  }
  const personToken = environment[personVariable] || null;
  if (!isToken(token)) return refused(notAToken(tokenVariable));
  if (personToken !== null && !isToken(personToken)) return refused(notAToken(personVariable));
  if (personToken === token) {
    return refused(`${personVariable} must be another token than ${tokenVariable}, or not be set`);
  }
  const url = environment[urlVariable];
  const address = url ? readSecureUrl(url, urlVariable) : githubEndpoint;
  if (typeof address === 'string') return refused(address);
  const endpoint = withAuthority(address, environment[caVariable], caVariable);
  return typeof endpoint === 'string'
    ? refused(endpoint)
    : { kind: 'ready', token, personToken, sandbox, endpoint };
}

function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

function notAToken(variable: string): string {
  return `${variable} must be printable ASCII without spaces; came something else`;
}

function refused(why: string): LiveSettings {
  return { kind: 'refused', why: `${why}; nothing was sent` };
}
