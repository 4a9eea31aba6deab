/** The GitHub targets with one rule removed. Data alone. */
import type { BrokenTarget } from './broken-target.ts';

export const brokenGithubTargets: readonly BrokenTarget[] = [
  {
    name: 'any-merge-is-ours',
    about: 'takes a merge for its own because the pull request is merged, whoever merged it',
    over: 'github.merge',
    finding: 'phantom',
    replaces: { 'github/attribution': 'any-merge-is-ours' },
    cells: [
      {
        cell: 'after_wal_before_call/none/done-by-hand/same-again',
        findings: ['phantom', 'receipt-false'],
      },
    ],
  },
  {
    name: 'head-not-sent',
    about: 'merges whatever the head is by then, and not what was reviewed',
    over: 'github.merge',
    finding: 'wrong-substance',
    replaces: { 'github/merge-call': 'head-not-sent' },
    cells: [
      {
        cell: 'during_call:later/none/premise-changed/same-again',
        findings: ['wrong-substance'],
      },
    ],
  },
  {
    name: 'retry-plugin-on',
    about: 'leaves on the plugin by which the client sends again, comments too',
    over: 'github.comment',
    // The plugin pauses for a second before it sends again; the gate waits twice as long as this.
    options: { target: { clientTimeoutMs: 2_000 } },
    finding: 'hidden-retry',
    replaces: { 'github/octokit': 'retry-plugin-on' },
    cells: [
      {
        cell: 'after_call_before_commit/reply-lost@first-send/none/same-again',
        findings: ['two-effects', 'needless-ambiguity', 'hidden-retry'],
      },
    ],
  },
  {
    name: 'comments-called-deduped',
    about: 'declares that a comment is written once under its key, of which GitHub knows nothing',
    over: 'github.comment',
    finding: 'two-effects',
    replaces: { 'github/declaration': 'comments-called-deduped' },
    cells: [{ cell: 'during_call:now/none/none/same-again', findings: ['two-effects'] }],
  },
  {
    name: 'first-page-of-comments',
    about: 'looks at the first page of the comments alone',
    over: 'github.comment',
    finding: 'needless-ambiguity',
    replaces: { 'github/comment-page': 'first-page-of-comments' },
    cells: [
      {
        cell: 'during_call:now/paged@look/none/same-again',
        findings: ['needless-ambiguity'],
      },
    ],
  },
];
