/**
 * An issue and all of its comments. In: an issue's number. Out: both, whole, or an error that says why
 * they could not be told.
 *
 * GitHub promises nobody that a list shows what was just written. The issue counts its comments, so
 * that a list that is shorter than the count is known to lack some. The count is read first: what is
 * written meanwhile makes the list longer.
 */
import type { SingleCall } from '../single-send.ts';
import { describeReply } from './classify.ts';
import { readPage } from './comment-page.ts';
import type { Reach } from './merge.ts';
import { type Comment, type Issue, readIssue } from './readings.ts';

/** Far more than an issue has; a list that goes on is taken for one that never ends. */
const mostPages = 1_000;

export interface CommentReader extends Reach {
  readonly pageSize: number;
  /** A deadline of its own for each request: nobody knows how many there will be. */
  within<T>(work: (call: SingleCall) => Promise<T>): Promise<T>;
}

export interface Thread {
  readonly issue: Issue;
  readonly comments: readonly Comment[];
}

export async function readThread(reader: CommentReader, issueNumber: number): Promise<Thread> {
  const issue = await readIssueOf(reader, issueNumber);
  const comments = await readComments(reader, issueNumber);
  if (comments.length < issue.comments) {
    throw new Error(
      `the list is short: issue ${issueNumber} counts ${issue.comments} comments, the list has ${comments.length}`,
    );
  }
  return { issue, comments };
}

async function readIssueOf(reader: CommentReader, issueNumber: number): Promise<Issue> {
  const { client, repository, within } = reader;
  const reply = await within((call) =>
    client.send(call, {
      route: 'GET /repos/{owner}/{repo}/issues/{issue_number}',
      parameters: { issue_number: issueNumber },
    }),
  );
  const issue = readIssue(reply, repository, issueNumber);
  if (issue !== null) return issue;
  throw new Error(`expected issue ${issueNumber}, came ${describeReply(reply)}`);
}

async function readComments(
  reader: CommentReader,
  issueNumber: number,
): Promise<readonly Comment[]> {
  const byId = new Map<string, Comment>();
  for (let page = 1; page <= mostPages; page += 1) {
    const { comments, hasMore } = await readPageOf(reader, issueNumber, page);
    const known = byId.size;
    for (const comment of comments) byId.set(comment.id, comment);
    if (!hasMore) return [...byId.values()];
    if (byId.size === known) {
      throw new Error(`page ${page} of the comments shows nothing new and claims another`);
    }
  }
  throw new Error(`the comments do not end after ${mostPages} pages`);
}

async function readPageOf(reader: CommentReader, issueNumber: number, page: number) {
  const { client, repository, pageSize, within } = reader;
  const reply = await within((call) =>
    client.send(call, {
      route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
      parameters: { issue_number: issueNumber, per_page: pageSize, page },
    }),
  );
  const read = readPage(reply, repository, issueNumber);
  if (read !== null) return read;
  throw new Error(
    `expected page ${page} of the comments of issue ${issueNumber}, came ${describeReply(reply)}`,
  );
}
