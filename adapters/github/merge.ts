/**
 * One merge of a pull request, and how it is found. In: an already decided merge and its key. Out: what
 * GitHub provably did. A pull request is merged once by its own state; whose merge it is stands in the
 * message of its commit and nowhere else.
 */
import { NoAnswerError, type SingleCall } from '../single-send.ts';
import type { ApplyResult, QueryResult } from '../target.ts';
import { isOurs } from './attribution.ts';
import { classifyFailure, classifyNoAnswer, describeReply, unknown } from './classify.ts';
import type { GitHubClient, Reply } from './client.ts';
import type { Repository } from './configuration.ts';
import { mergeCallOf } from './merge-call.ts';
import { isRecord, isSha, type Pull, readFailure, readMessage, readPull } from './readings.ts';
import type { MergeRequest } from './request.ts';
import { stampOfMessage } from './stamp.ts';

export interface Reach {
  readonly client: GitHubClient;
  readonly repository: Repository;
}

interface Wanted {
  readonly key: string;
  readonly merge: MergeRequest;
}

/** All of it within the deadline of the one call. */
export async function mergeOnce(
  reach: Reach,
  call: SingleCall,
  wanted: Wanted,
): Promise<ApplyResult> {
  try {
    const reply = await reach.client.send(call, mergeCallOf(wanted.merge, wanted.key));
    const sha = readMergeSha(reply);
    if (sha !== null) return await readLanded(reach, call, { sha, key: wanted.key });
    const isAboutState = [405, 409, 422].includes(reply.status) && readFailure(reply) !== null;
    return isAboutState ? await readTurnedDown(reach, call, wanted, reply) : classifyFailure(reply);
  } catch (error) {
    return classifyNoAnswer(error);
  }
}

/** Absent is said of what is not merged, and of what somebody else has merged: neither is ours. */
export async function findMerge(
  reach: Reach,
  call: SingleCall,
  { key, merge }: Wanted,
): Promise<QueryResult> {
  try {
    const { merged } = await readPullOf(reach, call, merge.pullNumber);
    if (merged === null) return { kind: 'absent', complete: true };
    const message = await readMessageOf(reach, call, merged.sha);
    return isOurs(message, key)
      ? { kind: 'found', entityId: merged.sha }
      : { kind: 'absent', complete: true };
  } catch (error) {
    return {
      kind: 'could-not-tell',
      detail: error instanceof Error ? error.message : String(error),
    };
  }
}

/** Rejects when it can't be read. */
export async function readPullOf(
  { client, repository }: Reach,
  call: SingleCall,
  pullNumber: number,
): Promise<Pull> {
  const reply = await client.send(call, {
    route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}',
    parameters: { pull_number: pullNumber },
  });
  const pull = readPull(reply, repository, pullNumber);
  if (pull !== null) return pull;
  throw new UntoldError(`expected pull request ${pullNumber}, came ${describeReply(reply)}`);
}

/** Rejects when it can't be read. A commit comes with its files, of which none is wanted: one is the least. */
export async function readMessageOf(
  { client }: Reach,
  call: SingleCall,
  sha: string,
): Promise<string> {
  const reply = await client.send(call, {
    route: 'GET /repos/{owner}/{repo}/commits/{ref}',
    parameters: { ref: sha, per_page: 1 },
  });
  const message = readMessage(reply, sha);
  if (message !== null) return message;
  throw new UntoldError(`expected commit ${sha}, came ${describeReply(reply)}`);
}

/** An answer came, and it does not tell what was asked. */
class UntoldError extends Error {
  override readonly name = 'UntoldError';
}

/** The answer has no stamp: the commit has, and until that is read nothing says whose merge it was. */
async function readLanded(
  reach: Reach,
  call: SingleCall,
  { sha, key }: { readonly sha: string; readonly key: string },
): Promise<ApplyResult> {
  return orUnknown('merged', async () => {
    const message = await readMessageOf(reach, call, sha);
    return { kind: 'landed', entityId: sha, stamp: stampOfMessage(message, key) };
  });
}

/** What GitHub says of a pull request's state is old news until the pull request is read. */
async function readTurnedDown(
  reach: Reach,
  call: SingleCall,
  { key, merge }: Wanted,
  reply: Reply,
): Promise<ApplyResult> {
  const said = `${reply.status}: ${readFailure(reply)}`;
  return orUnknown(said, async () => {
    const pull = await readPullOf(reach, call, merge.pullNumber);
    const { merged } = pull;
    if (merged === null) return classifyUnmerged(pull, reply.status, said);
    if (isOurs(await readMessageOf(reach, call, merged.sha), key)) {
      return { kind: 'landed', entityId: merged.sha, stamp: key };
    }
    const who = merged.by === null ? '' : ` (${merged.by}, ${merged.sha})`;
    const reason = `merged by someone else, not ours${who}. ${said}`;
    return { kind: 'refused', reason, mendable: false };
  });
}

function classifyUnmerged({ state }: Pull, status: number, said: string): ApplyResult {
  // Whose merge that is shows when it has ended.
  if (/already in progress/i.test(said)) return unknown('in-flight', said);
  if (state === 'closed') {
    return { kind: 'refused', reason: `closed without being merged. ${said}`, mendable: false };
  }
  return { kind: 'refused', reason: said, mendable: status !== 422 };
}

async function orUnknown(said: string, read: () => Promise<ApplyResult>): Promise<ApplyResult> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UntoldError) return unknown('server-error', `${said}; ${error.message}`);
    if (error instanceof NoAnswerError) {
      return unknown(error.kind, `${said}; then ${error.message}`);
    }
    throw error;
  }
}

function readMergeSha({ status, body }: Reply): string | null {
  if (status !== 200 || !isRecord(body) || body.merged !== true) return null;
  return isSha(body.sha) ? body.sha : null;
}
