/**
 * The entries, fences and limits of one ledger. In: postings, reversals, fences, limits. Out: what
 * became of each. Every call is one transaction: nothing comes between its test and its write.
 *
 * An id says what a posting is for and is no key: two postings under one id are two entries, until
 * the id is fenced. From then on a posting lands only by taking the fence over, which it can do once.
 * An entry that is reversed stays where it is, for whoever looks and for the fence.
 */
import type { JournalEffect } from '../rail.ts';

export type Actor = JournalEffect['actor'];

export interface Posting {
  readonly id: string;
  readonly account: string;
  readonly reference: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** The version of the fence this posting takes over, null when it knows of none. */
  readonly supersedes: number | null;
}

export interface Entry extends Omit<Posting, 'supersedes'> {
  readonly entry: string;
  readonly actor: Actor;
  readonly postedAtMs: number;
  /** Those its posting gave to its reference and, where it was reversed, its reversal. */
  readonly versions: number[];
  /** On the monotonic clock: moving the ledger's clock ages nothing. */
  readonly landedMs: number;
}

export interface Fence {
  /** Rises with each planting: a posting that names an older one has been stopped. */
  readonly version: number;
  /** True once a posting has taken it over. */
  readonly taken: boolean;
}

export interface PostingMaker {
  readonly actor: Actor;
  readonly nowMs: number;
  readonly landedMs: number;
}

export type Posted =
  | { readonly kind: 'posted'; readonly entry: Entry }
  | { readonly kind: 'fenced'; readonly fence: Fence }
  | { readonly kind: 'no-such-fence' };

export type Reversed =
  | { readonly kind: 'reversed'; readonly entry: Entry }
  | { readonly kind: 'no-such-entry' }
  | { readonly kind: 'reversed-before' };

/** What may stand under one reference of one account. */
export type Reference = Pick<Posting, 'account' | 'reference'>;

/** Until somebody sets another. A limit is an agreement: the ledger posts beyond it all the same. */
const firstLimitMinor = 1_000_000;

export class LedgerBook {
  readonly #entryPrefix: string;
  /** Oldest first. */
  readonly #entries: Entry[] = [];
  readonly #fences = new Map<string, Fence>();
  /** Each account's, oldest first. */
  readonly #limits = new Map<string, readonly number[]>();

  /** `entryPrefix` keeps the entries of several ledgers apart. */
  constructor(entryPrefix: string) {
    this.#entryPrefix = entryPrefix;
  }

  entries(): readonly Entry[] {
    return this.#entries;
  }

  entriesUnder(id: string): readonly Entry[] {
    return this.#entries.filter((entry) => entry.id === id);
  }

  entriesOf({ account, reference }: Reference): readonly Entry[] {
    return this.#entries.filter(
      (entry) => entry.account === account && entry.reference === reference,
    );
  }

  limitOf(account: string): number {
    return this.#limits.get(account)?.at(-1) ?? firstLimitMinor;
  }

  setLimit(account: string, limitMinor: number): void {
    this.#limits.set(account, [...(this.#limits.get(account) ?? []), limitMinor]);
  }

  /** Rises with each entry posted or reversed under the reference, and with each limit set for its account. */
  versionOf(reference: Reference): number {
    const limits = this.#limits.get(reference.account)?.length ?? 0;
    return this.entriesOf(reference).reduce((sum, { versions }) => sum + versions.length, limits);
  }

  fenceOf(id: string): Fence | null {
    return this.#fences.get(id) ?? null;
  }

  post({ supersedes, ...substance }: Posting, by: PostingMaker): Posted {
    const fence = this.fenceOf(substance.id);
    if (fence === null && supersedes !== null) return { kind: 'no-such-fence' };
    if (fence !== null) {
      if (fence.taken || fence.version !== supersedes) return { kind: 'fenced', fence };
      this.#fences.set(substance.id, { ...fence, taken: true });
    }
    const number = String(this.#entries.length + 1).padStart(8, '0');
    const entry: Entry = {
      ...substance,
      entry: `ent_${this.#entryPrefix}${number}`,
      actor: by.actor,
      postedAtMs: by.nowMs,
      landedMs: by.landedMs,
      versions: [this.versionOf(substance) + 1],
    };
    this.#entries.push(entry);
    return { kind: 'posted', entry };
  }

  /** Once for each entry. */
  reverse(entryId: string): Reversed {
    const entry = this.#entries.find((known) => known.entry === entryId);
    if (entry === undefined) return { kind: 'no-such-entry' };
    if (isReversed(entry)) return { kind: 'reversed-before' };
    entry.versions.push(this.versionOf(entry) + 1);
    return { kind: 'reversed', entry };
  }

  /** Plants where no entry is. A fence that stands already is replaced, which stops who has read it. */
  fence(id: string): void {
    if (this.entriesUnder(id).length > 0) return;
    const version = (this.fenceOf(id)?.version ?? 0) + 1;
    this.#fences.set(id, { version, taken: false });
  }
}

export function isReversed({ versions }: Entry): boolean {
  return versions.length > 1;
}
