/**
 * The entries and fences of one ledger. In: postings and fences. Out: what became of each. Every call
 * is one transaction: nothing comes between its test and its write.
 *
 * An id says what a posting is for and is no key: two postings under one id are two entries, until
 * the id is fenced. From then on a posting lands only by taking the fence over, which it can do once.
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

export class LedgerBook {
  readonly #entryPrefix: string;
  /** Oldest first. */
  readonly #entries: Entry[] = [];
  readonly #fences = new Map<string, Fence>();

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
    };
    this.#entries.push(entry);
    return { kind: 'posted', entry };
  }

  /** Plants where no entry is. A fence that stands already is replaced, which stops who has read it. */
  fence(id: string): void {
    if (this.entriesUnder(id).length > 0) return;
    const version = (this.fenceOf(id)?.version ?? 0) + 1;
    this.#fences.set(id, { version, taken: false });
  }
}
