/**
 * Pull requests of one trial at GitHub itself: three, onto a base branch of their own, so that no trial
 * moves another's base. In: clients, and a label. Out: the pull requests, open, and what a trial may
 * ask about them.
 */
import { randomBytes } from 'node:crypto';
import type { Examples, RailWorldEvent } from '../rail.ts';
import { nameOf } from './configuration.ts';
import { textAt } from './live-client.ts';
import { handTrailer, type SeenEffect, stampInMessage, toJournal } from './live-journal.ts';
import { type LiveContext, type LiveScene, refuseEvent } from './live-scene.ts';

export const mergeEvents = [
  'done-by-hand',
  'premise-changed',
  'unrelated-change',
] as const satisfies readonly RailWorldEvent[];

const atRepository = '/repos/{owner}/{repo}';
/** The request's, the second decision's, and the look-alike's. */
const pullCount = 3;

interface LivePull {
  readonly number: number;
  readonly sha: string;
  readonly branch: string;
}

export async function makeMerges(context: LiveContext): Promise<LiveScene> {
  const branches: string[] = [];
  const pulls: LivePull[] = [];
  const clean = () => removeAll(context, pulls, branches);
  try {
    const tag = `killpoint/${randomBytes(6).toString('hex')}`;
    const base = await openBranch(context, `${tag}/base`, await readTip(context), branches);
    for (let count = 1; count <= pullCount; count += 1) {
      const branch = `${tag}/${count}`;
      await openBranch(context, branch, base.sha, branches);
      pulls.push(await openPull(context, branch, base.branch));
    }
  } catch (error) {
    await clean();
    throw error;
  }
  return {
    examples: () => exampleMerges(pulls),
    effects: async () => toJournal(await readMerges(context, pulls), context.personLogin),
    world: (event, request) => changePull(context, event, findPull(pulls, request.pullNumber)),
    clean,
  };
}

/** What a trial asks of these pull requests; of none there is only the shape. */
export function exampleMerges(pulls: readonly Pick<LivePull, 'number' | 'sha'>[]): Examples {
  const merge = (index: number) => ({
    operation: 'merge',
    pullNumber: pulls[index]?.number ?? index + 1,
    sha: pulls[index]?.sha ?? '0'.repeat(40),
    method: 'merge',
  });
  const request = merge(0);
  const changed = { ...request, method: 'squash' };
  return { request, changed, distinct: merge(1), lookAlike: merge(2) };
}

async function readTip({ maker }: LiveContext): Promise<string> {
  const repository = await maker.call('read the sandbox', `GET ${atRepository}`);
  const branch = textAt(repository, 'default_branch');
  const ref = await maker.call(
    'find a commit on its default branch',
    `GET ${atRepository}/git/ref/{+ref}`,
    {
      ref: `heads/${branch}`,
    },
  );
  return textAt(ref, 'object', 'sha');
}

async function openBranch(
  { maker }: LiveContext,
  branch: string,
  sha: string,
  branches: string[],
): Promise<{ readonly branch: string; readonly sha: string }> {
  await maker.call('make a branch', `POST ${atRepository}/git/refs`, {
    ref: `refs/heads/${branch}`,
    sha,
  });
  branches.push(branch);
  return { branch, sha };
}

async function openPull(context: LiveContext, branch: string, base: string): Promise<LivePull> {
  const { maker, trial, run } = context;
  const sha = await push(context, branch);
  const pull = await maker.call('open a pull request', `POST ${atRepository}/pulls`, {
    title: `Killpoint ${trial}`,
    body: `Made for one trial of the run ${run}. It is closed when the trial ends.`,
    head: branch,
    base,
  });
  const head = textAt(pull, 'head', 'sha');
  if (head !== sha) {
    throw new Error(
      `GitHub live rail: expected a pull request at ${sha}; came ${head}. Nothing is asked about it.`,
    );
  }
  return { number: Number(pull.number), sha, branch };
}

/** Commits a file of its own to a branch. */
async function push({ maker, trial }: LiveContext, branch: string): Promise<string> {
  const path = `killpoint/${randomBytes(6).toString('hex')}.txt`;
  const made = await maker.call('push a commit', `PUT ${atRepository}/contents/{+path}`, {
    path,
    branch,
    message: `Killpoint ${trial}`,
    content: Buffer.from(`${trial}\n`).toString('base64'),
  });
  return textAt(made, 'commit', 'sha');
}

async function readMerges(
  { reader, sandbox }: LiveContext,
  pulls: readonly LivePull[],
): Promise<readonly SeenEffect[]> {
  const seen: SeenEffect[] = [];
  // GitHub tells whole seconds: of what came in one, the look-alike, the last, was merged first.
  for (const { number } of pulls.toReversed()) {
    const pull = await reader.call('read a pull request', `GET ${atRepository}/pulls/{number}`, {
      number,
    });
    if (pull.merged !== true) continue;
    const sha = textAt(pull, 'merge_commit_sha');
    const commit = await reader.call('read a merge', `GET ${atRepository}/commits/{ref}`, {
      ref: sha,
    });
    const message = textAt(commit, 'commit', 'message');
    const { parents } = commit;
    seen.push({
      entityId: sha,
      stamp: stampInMessage(message),
      login: textAt(pull, 'merged_by', 'login'),
      byHand: message.includes(handTrailer),
      subject: `${nameOf(sandbox)}#${number}`,
      substance: {
        sha: textAt(pull, 'head', 'sha'),
        method: Array.isArray(parents) && parents.length > 1 ? 'merge' : 'squash',
      },
      atMs: Date.parse(textAt(pull, 'merged_at')),
    });
  }
  return seen.sort((one, other) => one.atMs - other.atMs);
}

function findPull(pulls: readonly LivePull[], number: unknown): LivePull {
  const pull = pulls.find((known) => known.number === number);
  if (pull !== undefined) return pull;
  throw new Error(
    `GitHub live rail: expected one of the pull requests ${pulls.map((known) => known.number).join(', ')}; came ${JSON.stringify(number)}. Take one of the examples.`,
  );
}

async function changePull(
  context: LiveContext,
  event: RailWorldEvent,
  { number, sha, branch }: LivePull,
): Promise<void> {
  const { maker } = context;
  switch (event) {
    case 'done-by-hand':
      await maker.call('merge by hand', `PUT ${atRepository}/pulls/{number}/merge`, {
        number,
        sha,
        commit_message: handTrailer,
      });
      return;
    case 'premise-changed':
      await push(context, branch);
      return;
    case 'unrelated-change':
      await maker.call('comment', `POST ${atRepository}/issues/{number}/comments`, {
        number,
        body: 'Looked at by a person.',
      });
      return;
    default:
      refuseEvent(event, mergeEvents);
  }
}

/** As much of it as there is: a branch that a merge has removed is gone already. */
async function removeAll(
  { maker }: LiveContext,
  pulls: readonly LivePull[],
  branches: readonly string[],
): Promise<void> {
  const steps = [
    ...pulls.map(({ number }) =>
      maker.call('close a pull request', `PATCH ${atRepository}/pulls/{number}`, {
        number,
        state: 'closed',
      }),
    ),
    ...branches.map((branch) =>
      maker.call('remove a branch', `DELETE ${atRepository}/git/refs/{+ref}`, {
        ref: `heads/${branch}`,
      }),
    ),
  ];
  await Promise.allSettled(steps);
}
