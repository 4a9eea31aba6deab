/**
 * What the caller does after the restart, behaviour by behaviour. In: the recovered process, and the
 * requests of the trial. It waits for every answer and judges none; only what waits for a person is
 * told a person's word.
 */
import type { JsonObject, Premise } from '../../adapters/target.ts';
import type { CallerBehaviour } from '../model/caller-table.ts';
import type { SubjectProcess } from './subject-process.ts';
import type { Asked, Subjects } from './subjects.ts';

export interface Requests {
  readonly request: JsonObject;
  readonly changed: JsonObject;
  /** A second legitimate decision of equal substance. */
  readonly distinct: JsonObject;
  /** What the request was decided on. */
  readonly premises: readonly Premise[];
}

/** The id under which the request was submitted first. */
export const firstRequestId = 'request-1';
/** No lease of a trial covers it. */
const inventedReason = { reason: 'the customer wrote again' };
/** The first process of a storm gets two of the five submits, as does the second; the third one. */
const stormShares = [2, 2, 1];

export async function behave(
  caller: CallerBehaviour,
  subject: SubjectProcess,
  { subjects, requests }: { readonly subjects: Subjects; readonly requests: Requests },
): Promise<void> {
  const { request, changed, premises } = requests;
  const again: Asked = { request, premises };
  switch (caller) {
    case 'same-again':
      await subjects.submit(subject, { ...again, requestId: firstRequestId });
      break;
    case 'fresh-id':
      await subjects.submit(subject, again);
      break;
    case 'changed-amount':
      await subjects.submit(subject, { request: changed, premises });
      break;
    case 'storm': {
      const others = await startStorm(subjects);
      await storm([subject, ...others], { subjects, requests });
      await subjects.stop(others);
      break;
    }
    case 'second-session':
      await withSession(subjects, (other) => [
        subjects.submit(subject, again),
        subjects.submit(other, again),
      ]);
      break;
    case 'second-legitimate':
      await subjects.submit(subject, again);
      await subjects.submit(subject, secondOf(requests));
      break;
    case 'over-cap':
      await withSession(subjects, (other) => [
        subjects.submit(subject, again),
        subjects.submit(other, secondOf(requests)),
      ]);
      break;
    case 'invented-reason':
      await invent(subject, { subjects, requests });
      break;
    case 'gives-up':
      break;
    default:
      caller satisfies never;
  }
}

export async function startStorm(subjects: Subjects): Promise<readonly SubjectProcess[]> {
  return subjects.startTogether('storm', stormShares.length - 1);
}

export async function storm(
  processes: readonly SubjectProcess[],
  { subjects, requests }: { readonly subjects: Subjects; readonly requests: Requests },
): Promise<void> {
  const { request, premises } = requests;
  await Promise.all(
    processes.flatMap((subject, index) =>
      Array.from({ length: stormShares[index] ?? 0 }, () =>
        subjects.submit(subject, { request, premises }),
      ),
    ),
  );
}

/** It was decided after what happened to the first, so it relies on none of the first's premises. */
function secondOf({ distinct }: Requests): Asked {
  return { request: distinct, premises: [], decision: 'second' };
}

/** Nobody with authority decided this: what is held for a person is rejected. */
async function invent(
  subject: SubjectProcess,
  { subjects, requests }: { readonly subjects: Subjects; readonly requests: Requests },
): Promise<void> {
  const request = { ...requests.request, distinct: inventedReason };
  const answer = await subjects.submit(subject, { request, premises: requests.premises });
  if (answer?.disposition !== 'surfaced') return;
  await subjects.resolve(subject, request, {
    decision: 'reject',
    by: 'support',
    reason: 'nobody approved a second one',
  });
}

async function withSession(
  subjects: Subjects,
  ask: (other: SubjectProcess) => readonly Promise<unknown>[],
): Promise<void> {
  const others = await subjects.startTogether('session', 1);
  const [other] = others;
  if (other === undefined) throw new Error('a session was to be started and none was');
  await Promise.all(ask(other));
  await subjects.stop(others);
}
