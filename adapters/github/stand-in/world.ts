/**
 * What people do in a repository while the subject is not looking. In: the repository, a way to ask its
 * API as a person, and the request of a trial, which names a pull request or an issue. Out: the
 * repository, changed. Throws where there is nothing to do it to.
 *
 * People push with git, past the API, and do everything else through it, without a stamp of ours.
 */
import type { RailWorldEvent } from '../../rail.ts';
import type { JsonObject } from '../../target.ts';
import type { ServedAnswer } from '../../whole-request-server.ts';
import { type Comment, type Issue, issueNumbers, type PullIssue } from './book.ts';
import type { Operation } from './faults.ts';
import type { Parts } from './parts.ts';
import type { Pulls } from './pulls.ts';
import { branchRef } from './template.ts';

export interface Scene {
  readonly parts: Parts;
  readonly pulls: Pulls;
  readonly request: JsonObject;
  /** With the person's token; the path is below the repository's own. */
  ask(method: string, path: string, body?: JsonObject): Promise<ServedAnswer>;
}

export function worldEventsOf(operation: Operation): readonly RailWorldEvent[] {
  return [
    'done-by-hand',
    ...(operation === 'comment' ? (['undone-by-hand'] as const) : []),
    'premise-changed',
    'premise-changed-and-back',
    'unrelated-change',
    'rail-restarted',
  ];
}

type PersonsEvent = Exclude<RailWorldEvent, 'rail-restarted'>;

export async function changeWorld(event: PersonsEvent, scene: Scene): Promise<void> {
  if (event === 'unrelated-change') {
    await push(scene, 'experiment');
    await comment(scene, issueNumbers.other, 'About something else.');
    return;
  }
  if (scene.parts.operation === 'merge') await changePull(event, scene, pullOf(scene));
  else await changeIssue(event, scene, issueOf(scene));
}

type NarrowEvent = Exclude<PersonsEvent, 'unrelated-change'>;

async function changePull(event: NarrowEvent, scene: Scene, issue: PullIssue): Promise<void> {
  const { headBranch, headSha: sha } = issue.pull;
  switch (event) {
    case 'done-by-hand': {
      const { method: merge_method = 'merge' } = scene.request;
      return act(scene, 'PUT', `/pulls/${issue.number}/merge`, { sha, merge_method });
    }
    case 'undone-by-hand':
      throw new Error(
        `GitHub rail: nobody can undo a merge; came ${event}. Ask for one of ${worldEventsOf('merge').join(', ')}.`,
      );
    case 'premise-changed':
      return push(scene, headBranch);
    case 'premise-changed-and-back':
      await push(scene, headBranch);
      return scene.parts.repository.alone(async () => scene.pulls.moveBranch(headBranch, sha));
    default:
      throw new Error(`GitHub rail: unknown event of the world: ${event satisfies never}`);
  }
}

async function changeIssue(
  event: NarrowEvent,
  scene: Scene,
  { number, title }: Issue,
): Promise<void> {
  const setTitle = (changed: string) =>
    act(scene, 'PATCH', `/issues/${number}`, { title: changed });
  switch (event) {
    case 'done-by-hand':
      return comment(scene, number, String(scene.request.body));
    case 'undone-by-hand':
      return act(scene, 'DELETE', `/issues/comments/${newestOfSubject(scene, number).id}`);
    case 'premise-changed':
      return setTitle(`${title}, reconsidered`);
    case 'premise-changed-and-back':
      await setTitle(`${title}, reconsidered`);
      return setTitle(title);
    default:
      throw new Error(`GitHub rail: unknown event of the world: ${event satisfies never}`);
  }
}

function pullOf({ request, parts }: Scene): PullIssue {
  const issue = parts.book.pull(Number(request.pullNumber));
  if (issue !== null) return issue;
  throw new Error(
    `GitHub rail: expected a request about a pull request that is there; came ${JSON.stringify(request)}. Take one of its examples.`,
  );
}

function issueOf({ request, parts }: Scene): Issue {
  const issue = parts.book.issue(Number(request.issueNumber));
  if (issue !== null) return issue;
  throw new Error(
    `GitHub rail: expected a request about an issue that is there; came ${JSON.stringify(request)}. Take one of its examples.`,
  );
}

function newestOfSubject({ parts: { book, logins } }: Scene, issueNumber: number): Comment {
  const ours = book.commentsOf(issueNumber).findLast(({ login }) => login === logins.subject);
  if (ours !== undefined) return ours;
  throw new Error(
    `GitHub rail: undone-by-hand needs a comment of the subject's on issue ${issueNumber} that stands; there is none. Let the subject write one first.`,
  );
}

/** A commit more on a branch, which begins at the base where it is not there. */
async function push({ parts, pulls }: Scene, branch: string): Promise<void> {
  const { repository, logins, now } = parts;
  await repository.alone(async () => {
    const parent = (await repository.tip(branchRef(branch))) ?? (await pulls.baseTip());
    const by = { login: logins.person, atMs: now() };
    const file = { path: `${branch}.txt`, text: `On top of ${parent}.\n` };
    pulls.moveBranch(branch, await repository.writeFile(parent, file, by));
  });
}

function comment(scene: Scene, issueNumber: number, body: string): Promise<void> {
  return act(scene, 'POST', `/issues/${issueNumber}/comments`, { body });
}

async function act(scene: Scene, method: string, path: string, body?: JsonObject): Promise<void> {
  const { status, body: said } = await scene.ask(method, path, body);
  if (status >= 300) {
    throw new Error(`GitHub rail: a person could not ${method} ${path}: ${said}`);
  }
}
