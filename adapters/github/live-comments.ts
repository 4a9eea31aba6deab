/**
 * The issue of one trial at GitHub itself. In: clients, and a label. Out: the issue, open, and what a
 * trial may ask about it.
 */
import { createHash } from 'node:crypto';
import type { Examples, RailWorldEvent } from '../rail.ts';
import { nameOf } from './configuration.ts';
import { type LiveRecord, textAt } from './live-client.ts';
import { handMarker, type SeenEffect, splitComment, toJournal } from './live-journal.ts';
import { type LiveContext, type LiveScene, refuseEvent } from './live-scene.ts';

export const commentEvents = [
  'done-by-hand',
  'premise-changed',
  'premise-changed-and-back',
  'unrelated-change',
] as const satisfies readonly RailWorldEvent[];

const atRepository = '/repos/{owner}/{repo}';
const atIssue = `${atRepository}/issues/{number}`;
const pageLength = 100;
/** Far more than a trial makes: a list that is longer is taken for one that never ends. */
const mostPages = 10;

export async function makeComments(context: LiveContext): Promise<LiveScene> {
  const { maker, trial, run, personLogin } = context;
  const title = `Killpoint ${trial}`;
  const issue = await maker.call('open an issue', `POST ${atRepository}/issues`, {
    title,
    body: `Made for one trial of the run ${run}. It is closed when the trial ends.`,
  });
  const number = Number(issue.number);
  return {
    examples: (seed) => exampleComments(seed, number),
    effects: async () => toJournal(await readComments(context, number), personLogin),
    world: (event, request) =>
      changeIssue(context, event, { number, title, body: String(request.body) }),
    clean: async () => {
      await maker.call('close the issue', `PATCH ${atIssue}`, { number, state: 'closed' });
    },
  };
}

export function exampleComments(seed: number, issueNumber: number): Examples {
  const words = createHash('sha256').update(`github live example ${seed}`).digest('hex');
  const request = { operation: 'comment', issueNumber, body: `Released as ${words.slice(0, 12)}.` };
  return {
    request,
    changed: { ...request, body: `Released as ${words.slice(12, 24)}.` },
    distinct: { ...request, distinct: `approval-${words.slice(24, 36)}` },
    lookAlike: request,
  };
}

async function readComments(
  { reader, sandbox }: LiveContext,
  number: number,
): Promise<readonly SeenEffect[]> {
  const seen: SeenEffect[] = [];
  for (let page = 1; page <= mostPages; page += 1) {
    const comments = await reader.list('list the comments', `GET ${atIssue}/comments`, {
      number,
      per_page: pageLength,
      page,
    });
    for (const comment of comments) seen.push(toEffect(comment, `${nameOf(sandbox)}#${number}`));
    if (comments.length < pageLength) return seen;
  }
  throw new Error(
    `GitHub live rail: the comments of ${number} do not end after ${mostPages} pages.`,
  );
}

function toEffect(comment: LiveRecord, subject: string): SeenEffect {
  const body = textAt(comment, 'body');
  const { text, stamp } = splitComment(body);
  return {
    entityId: textAt(comment, 'id'),
    stamp,
    login: textAt(comment, 'user', 'login'),
    byHand: body.includes(handMarker),
    subject,
    substance: { body: text },
    atMs: Date.parse(textAt(comment, 'created_at')),
  };
}

interface Changed {
  readonly number: number;
  readonly title: string;
  /** Of the request. */
  readonly body: string;
}

async function changeIssue(
  { maker }: LiveContext,
  event: RailWorldEvent,
  { number, title, body }: Changed,
): Promise<void> {
  const edit = (fields: Readonly<Record<string, string>>) =>
    maker.call('edit the issue', `PATCH ${atIssue}`, { number, ...fields });
  switch (event) {
    case 'done-by-hand':
      await maker.call('comment by hand', `POST ${atIssue}/comments`, {
        number,
        body: `${body}\n\n${handMarker}`,
      });
      return;
    case 'premise-changed':
      await edit({ title: `${title}, reconsidered` });
      return;
    case 'premise-changed-and-back':
      await edit({ title: `${title}, reconsidered` });
      await edit({ title });
      return;
    case 'unrelated-change':
      // What no premise speaks of.
      await edit({ body: 'Looked at by a person.' });
      return;
    default:
      refuseEvent(event, commentEvents);
  }
}
