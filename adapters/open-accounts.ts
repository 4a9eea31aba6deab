/**
 * The accounts of a stand-in that are open, and who asks in them: each has two credentials, one of the
 * subject's and one that people sign with. In: accounts. Out: whose a credential is.
 */

export interface Grant<Account> {
  readonly account: Account;
  readonly actor: 'subject' | 'person';
}

export interface AccountCredentials {
  readonly subject: string;
  readonly person: string;
}

export class OpenAccounts<Account extends { close(): void }> {
  readonly #accounts = new Map<string, Account>();
  readonly #grants = new Map<string, Grant<Account>>();
  readonly #rail: string;

  /** `rail`: what messages call it. */
  constructor(rail: string) {
    this.#rail = rail;
  }

  /** Resolves a credential as it came; undefined where it is nobody's. */
  grantOf(credential: string | null | undefined): Grant<Account> | undefined {
    return typeof credential === 'string' ? this.#grants.get(credential) : undefined;
  }

  /** Returns how to forget it. Throws for an id that is open already. */
  open(id: string, make: () => { account: Account; credentials: AccountCredentials }) {
    if (this.#accounts.has(id)) {
      throw new Error(
        `${this.#rail} rail: expected an id no open namespace has; came ${id} again. Close the first or take another id.`,
      );
    }
    const { account, credentials } = make();
    const { subject, person } = credentials;
    this.#accounts.set(id, account);
    this.#grants.set(subject, { account, actor: 'subject' });
    this.#grants.set(person, { account, actor: 'person' });
    const forget = () => {
      this.#accounts.delete(id);
      this.#grants.delete(subject);
      this.#grants.delete(person);
    };
    return { account, forget };
  }

  /** Closes every account and forgets it. */
  close(): void {
    for (const account of this.#accounts.values()) account.close();
    this.#accounts.clear();
    this.#grants.clear();
  }
}
