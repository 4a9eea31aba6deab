/**
 * The rail's own connection to one database. In: statements. Out: their rows. It is opened when it is
 * first needed and again when it broke; what was under way when it broke is not repeated.
 */
import { Client, type QueryResultRow } from 'pg';

export interface AdminAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export class AdminConnection {
  readonly #address: AdminAddress;
  #client: Promise<Client> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(address: AdminAddress) {
    this.#address = address;
  }

  async query<R extends QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<readonly R[]> {
    const { rows } = await this.#inTurn((client) => client.query<R>(text, [...values]));
    return rows;
  }

  /** Several statements in one text, without values. */
  async run(script: string): Promise<void> {
    await this.#inTurn((client) => client.query(script));
  }

  async close(): Promise<void> {
    const closing = this.#client;
    this.#client = null;
    const [client] = await Promise.allSettled([closing]);
    if (client.status === 'fulfilled') await client.value?.end();
  }

  /** In the order they were given, one at a time. */
  #inTurn<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const done = this.#last.then(async () => work(await this.#open()));
    this.#last = Promise.allSettled([done]);
    return done;
  }

  #open(): Promise<Client> {
    const open = this.#client ?? this.#connect();
    this.#client = open;
    return open;
  }

  async #connect(): Promise<Client> {
    const client = new Client({
      ...this.#address,
      ssl: false,
      application_name: 'killpoint-rail',
    });
    const forget = () => {
      this.#client = null;
    };
    // Without a listener a connection that breaks ends the process.
    client.on('error', forget);
    client.on('end', forget);
    try {
      await client.connect();
    } catch (error) {
      forget();
      throw error;
    }
    return client;
  }
}
