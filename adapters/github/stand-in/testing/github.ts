/**
 * What the tests of the stand-in ask it with: the official client, over the loopback interface. What is
 * opened is closed when the test that opened it ends.
 */
import { Octokit } from '@octokit/core';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../../target.ts';
import { createRail, type GitHubRailNamespace } from '../../rail.ts';
import { judgeAnswer } from '../../testing/described-responses.ts';
import type { GitHubFault, Operation } from '../faults.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: each test reads the fields its answer has
  readonly data: any;
}

/**
 * Answers of every status; only what failed on the way rejects. Each is held to GitHub's description,
 * as far as that speaks of it.
 */
export type Ask = (
  route: string,
  parameters?: Readonly<Record<string, unknown>>,
) => Promise<Answered>;

export interface OpenGitHub {
  readonly namespace: GitHubRailNamespace;
  readonly subject: Ask;
  readonly person: Ask;
  readonly repository: string;
  arm(fault: GitHubFault): void;
  firedTimes(): number;
}

export async function openNamespace(
  operation: Operation,
  options: JsonObject = {},
): Promise<GitHubRailNamespace> {
  const rail = await createRail({ options: { operation, ...options } });
  onTestFinished(() => rail.close());
  return rail.openNamespace('test');
}

export async function openGitHub(
  operation: Operation,
  options: JsonObject = {},
): Promise<OpenGitHub> {
  const namespace = await openNamespace(operation, options);
  let fired = 0;
  return {
    namespace,
    subject: asking(namespace, namespace.credentials),
    person: asking(namespace, namespace.personCredentials),
    repository: String(namespace.credentials.repository),
    arm: (fault) =>
      namespace.arm(fault, () => {
        fired += 1;
      }),
    firedTimes: () => fired,
  };
}

/** Routes begin below the repository's own path: `GET /pulls/1`. */
export function asking({ endpoint }: GitHubRailNamespace, { token, repository }: JsonObject): Ask {
  const octokit = new Octokit({
    auth: token,
    baseUrl: `http://${endpoint.host}:${endpoint.port}`,
    log: silent,
    request: { log: silent },
  });
  return async (route, parameters = {}) => {
    const [method = '', path = ''] = route.split(' ');
    const whole = `/repos/${repository}${path}`;
    const answer = await octokit
      .request(`${method} ${whole}`, parameters)
      .catch((error: unknown) => answerOf(error));
    const { status, data } = answer;
    const judged = judgeAnswer({ method, path: whole.split('?')[0] ?? '', status, data });
    if (judged.kind === 'wrong')
      throw new Error(`${route} is not as GitHub describes it: ${judged.why}`);
    return answer;
  };
}

/** What GitHub said, where the client raises it for its status. */
function answerOf(error: unknown): Answered {
  if (error instanceof Error && 'response' in error && error.response !== undefined) {
    return error.response as Answered;
  }
  throw error;
}

export const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): undefined {
  return undefined;
}

/** The head a pull request has now. */
export async function headOf(ask: Ask, number: number): Promise<string> {
  return (await ask(`GET /pulls/${number}`)).data.head.sha;
}

export const mergeBody = (sha: string, key = 'ours', method = 'merge') => ({
  sha,
  merge_method: method,
  commit_message: `Effect-Id: ${key}`,
});
