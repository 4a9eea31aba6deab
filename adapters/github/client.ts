/**
 * GitHub's API through its official client. In: one request about the one repository, and the call it
 * belongs to. Out: one answer, whatever its status, or a NoAnswerError. Nothing is sent twice.
 *
 * The client raises every failure of the network as an error of status 500, as if GitHub had said so;
 * what is underneath tells the two apart.
 */
import { NoAnswerError, type SingleCall } from '../single-send.ts';
import type { Endpoint } from '../target.ts';
import type { Credentials } from './configuration.ts';
import { openOctokit } from './octokit.ts';
import { createSingleSendFetch, type SingleSendFetch } from './single-send-fetch.ts';

export interface Reply {
  readonly status: number;
  /** The JSON of the body, or its text where it is none. */
  readonly body: unknown;
  /** The header by which GitHub names further pages. */
  readonly link: string | null;
}

export interface GitHubRequest {
  /** Method and path as GitHub documents them; the client fills owner and repo in. */
  readonly route: `${'GET' | 'PUT' | 'POST'} /repos/{owner}/{repo}/${string}`;
  readonly parameters: Readonly<Record<string, string | number>>;
}

export interface GitHubClient {
  /** Rejects with NoAnswerError alone. */
  send(call: SingleCall, request: GitHubRequest): Promise<Reply>;
}

export function createGitHubClient(
  endpoint: Endpoint,
  { token, repository }: Credentials,
): GitHubClient {
  const octokit = openOctokit(endpoint, token);
  return {
    async send(call, { route, parameters }) {
      const status = { seen: null as number | null };
      const fetch = watching(createSingleSendFetch(call), status);
      try {
        const answer = await octokit.request(route, {
          ...parameters,
          ...repository,
          request: { fetch },
        });
        return toReply(answer);
      } catch (error) {
        const answered = answerOf(error);
        if (answered !== null) return toReply(answered);
        throw noAnswerOf(error, status.seen);
      }
    },
  };
}

function watching(fetch: SingleSendFetch, status: { seen: number | null }): SingleSendFetch {
  return async (...request) => {
    const answer = await fetch(...request);
    status.seen = answer.status;
    return answer;
  };
}

interface Answer {
  readonly status: number;
  readonly headers: { readonly link?: string | undefined };
  readonly data: unknown;
}

function toReply({ status, headers, data }: Answer): Reply {
  return { status, body: data, link: headers.link ?? null };
}

/** What GitHub said, where the client raises it for its status. */
function answerOf(error: unknown): Answer | null {
  const isRaised = error instanceof Error && 'response' in error && error.response !== undefined;
  return isRaised ? (error.response as Answer) : null;
}

/** Anything else that the client throws is about an answer that it could not read. */
function noAnswerOf(error: unknown, status: number | null): NoAnswerError {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof NoAnswerError) return cause;
  const said = error instanceof Error ? error.message : String(error);
  return new NoAnswerError('unreadable', said, status);
}
