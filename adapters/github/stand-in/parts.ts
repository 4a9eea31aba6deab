/** What the parts of one repository's service share. */
import type { ArmedFaults } from '../../armed-faults.ts';
import type { JournalEffect } from '../../rail.ts';
import type { Book } from './book.ts';
import type { GitHubFault, Operation } from './faults.ts';
import type { GitRepository } from './git-repository.ts';
import type { Webhook } from './webhooks.ts';

export type Actor = JournalEffect['actor'];

export interface Parts {
  readonly operation: Operation;
  readonly repository: GitRepository;
  readonly book: Book;
  readonly faults: ArmedFaults<GitHubFault>;
  /** How long a read may miss an effect while reads are stale, and mergeability is worked out. */
  readonly lagMs: number;
  readonly now: () => number;
  readonly logins: Readonly<Record<Actor, string>>;
  tell(webhook: Webhook): void;
}
