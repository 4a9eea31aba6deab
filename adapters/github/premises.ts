/**
 * The facts a decision relies on: of a pull request what was reviewed and whether it can still be
 * merged, of an issue what is said in it. In: a merge or a comment and a way to read. Out: facts, which
 * `premise-facts.ts` compares. Reads only.
 */

import { type Fact, valueFact } from '../premise-facts.ts';
import type { SingleCall } from '../single-send.ts';
import { type CommentReader, readThread } from './comments.ts';
import { type Reach, readMessageOf, readPullOf } from './merge.ts';
import { stampOfBody, stampOfMessage } from './stamp.ts';

/** `ownKey` stamps what is ours; null: nothing is yet. */
export async function readPullFacts(
  reach: Reach,
  call: SingleCall,
  { pullNumber, ownKey }: { readonly pullNumber: number; readonly ownKey: string | null },
): Promise<readonly Fact[]> {
  const pull = await readPullOf(reach, call, pullNumber);
  const { merged } = pull;
  const isOwn =
    merged !== null &&
    ownKey !== null &&
    stampOfMessage(await readMessageOf(reach, call, merged.sha), ownKey) === ownKey;
  const state = merged === null ? pull.state : 'merged';
  const place = `pull/${pullNumber}`;
  return [
    valueFact(`${place}.headSha`, pull.headSha),
    valueFact(`${place}.baseRef`, pull.baseRef),
    valueFact(`${place}.draft`, pull.draft),
    valueFact(
      `${place}.state`,
      state,
      isOwn ? { without: 'open', with: 'merged' } : { without: state, with: state },
    ),
  ];
}

/** `ownKey` stamps what is ours; null: nothing is yet. */
export async function readIssueFacts(
  reader: CommentReader,
  { issueNumber, ownKey }: { readonly issueNumber: number; readonly ownKey: string | null },
): Promise<readonly Fact[]> {
  const { issue, comments } = await readThread(reader, issueNumber);
  const ours = comments.filter(({ body }) => isStampedWith(ownKey, body)).length;
  const place = `issue/${issueNumber}`;
  return [
    valueFact(`${place}.state`, issue.state),
    valueFact(`${place}.title`, issue.title),
    valueFact(`${place}.comments`, comments.length, {
      without: comments.length - ours,
      with: comments.length,
    }),
  ];
}

function isStampedWith(ownKey: string | null, body: string): boolean {
  return ownKey !== null && stampOfBody(body) === ownKey;
}
