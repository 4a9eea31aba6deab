/**
 * One comment on an issue, and how it is found. In: an already decided comment and its key. Out: what
 * GitHub provably did. GitHub never dedupes comments: the hidden line at the end of ours is all that
 * tells it from an equal one.
 */
import { foundAmong } from '../found-among.ts';
import type { SingleCall } from '../single-send.ts';
import type { ApplyResult, QueryResult } from '../target.ts';
import { classifyFailure, classifyNoAnswer, unknown } from './classify.ts';
import type { Reply } from './client.ts';
import { type CommentReader, readThread } from './comments.ts';
import type { Repository } from './configuration.ts';
import type { Reach } from './merge.ts';
import { readComment } from './readings.ts';
import type { CommentRequest } from './request.ts';
import { bodyWithStamp, stampOfBody } from './stamp.ts';

interface Wanted {
  readonly key: string;
  readonly comment: CommentRequest;
}

export async function commentOnce(
  { client, repository }: Reach,
  call: SingleCall,
  { key, comment }: Wanted,
): Promise<ApplyResult> {
  const { issueNumber, body } = comment;
  try {
    const reply = await client.send(call, {
      route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
      parameters: { issue_number: issueNumber, body: bodyWithStamp(body, key) },
    });
    return classifyComment(reply, repository, issueNumber);
  } catch (error) {
    return classifyNoAnswer(error);
  }
}

/** By its stamp alone: equal texts are what other people write too. */
export async function findComment(
  reader: CommentReader,
  { key, comment }: Wanted,
): Promise<QueryResult> {
  try {
    const { comments } = await readThread(reader, comment.issueNumber);
    const ours = comments.filter(({ body }) => stampOfBody(body) === key);
    return foundAmong(ours.map(({ id }) => id));
  } catch (error) {
    return {
      kind: 'could-not-tell',
      detail: error instanceof Error ? error.message : String(error),
    };
  }
}

function classifyComment(reply: Reply, repository: Repository, issueNumber: number): ApplyResult {
  if (reply.status !== 201) return classifyFailure(reply);
  const comment = readComment(reply.body, repository, issueNumber);
  return comment === null
    ? unknown(
        'unreadable',
        `expected a comment on issue ${issueNumber}, came 201 with another thing`,
      )
    : { kind: 'landed', entityId: comment.id, stamp: stampOfBody(comment.body) };
}
