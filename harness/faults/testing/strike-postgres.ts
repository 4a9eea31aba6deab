/** Strikes a real transaction with a fault: a driver, a wire and a real Postgres server. */
import type { Endpoint } from '../../../adapters/target.ts';
import type { WireFaultName } from '../../model/fault-table.ts';
import type { ObservedEvent } from '../../model/history.ts';
import {
  openSession,
  type PostgresServer,
  type Session,
} from '../../wire/testing/postgres-server.ts';
import { openWire } from '../../wire/wire.ts';
import type { Circumstances } from '../fault.ts';
import { createFaultInjector } from '../index.ts';

/** What a client got for its COMMIT, or for not even getting there; `code` is a SQLSTATE or the system's word. */
export type Ending = 'committed' | 'silence' | { readonly code: string };

export interface PostgresStrike {
  /** What became of the first and of the second of two transactions. */
  readonly first: Ending;
  readonly second: Ending;
  /** The rows a second connection saw when both were over, and after what was held had been released. */
  readonly rows: readonly string[];
  readonly rowsAfterRelease: readonly string[];
  /** The events of the first COMMIT, by type; empty where it did not get to the wire. */
  readonly steps: readonly string[];
  readonly fired: boolean;
}

/** Enough for an answer on a busy machine, and short enough to wait out. */
const clientTimeoutMs = 400;

export async function strikePostgres(
  server: PostgresServer,
  fault: WireFaultName,
  circumstances: Partial<Circumstances> = {},
): Promise<PostgresStrike> {
  const events: ObservedEvent[] = [];
  const observe = (event: ObservedEvent) => void events.push(event);
  const injector = createFaultInjector({
    fault: { fault, phase: 'resend' },
    observe,
    circumstances: { foreignReply: null, clientTimeoutMs, ...circumstances },
  });
  const wire = openWire({ upstream: server.endpoint, decisions: injector, observe });
  const direct = await openSession(server.endpoint);
  const rows = async () => {
    const found = await direct.client.query<{ name: string }>(
      'SELECT name FROM effects ORDER BY name',
    );
    return found.rows.map(({ name }) => name);
  };
  try {
    await direct.client.query('CREATE TABLE IF NOT EXISTS effects (name text); TRUNCATE effects');
    const endpoint = await wire.listen(1);
    injector.enter('resend');
    const first = await performEffect(endpoint, 'first');
    const second = await performEffect(endpoint, 'second');
    await wire.whenSenderGone(1, 1000);
    const before = await rows();
    wire.release();
    await wire.whenQuiet(1000);
    const commit = events.find((event) => event.type === 'request-whole' && event.mutating);
    const request = commit?.type === 'request-whole' ? commit.request : null;
    const steps = events.flatMap((event) =>
      'request' in event && event.request === request && event.type !== 'fault-fired'
        ? [event.type]
        : [],
    );
    return {
      first,
      second,
      rows: before,
      rowsAfterRelease: await rows(),
      steps,
      fired: injector.fired(),
    };
  } finally {
    direct.socket.destroy();
    await wire.close();
  }
}

/** BEGIN, INSERT, COMMIT on a connection of its own, with a client's patience for the last of them. */
async function performEffect(endpoint: Endpoint, name: string): Promise<Ending> {
  let patience: NodeJS.Timeout | undefined;
  let session: Session | undefined;
  try {
    session = await openSession(endpoint);
    const { client } = session;
    await client.query('BEGIN');
    await client.query('INSERT INTO effects VALUES ($1)', [name]);
    const gaveUp = new Promise<'silence'>((resolve) => {
      patience = setTimeout(() => resolve('silence'), clientTimeoutMs);
    });
    const committed = client.query('COMMIT').then(() => 'committed' as const);
    // Where patience ends first, breaking the connection ends this as well.
    committed.catch(() => undefined);
    return await Promise.race([committed, gaveUp]);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    return { code: code ?? message };
  } finally {
    clearTimeout(patience);
    session?.socket.destroy();
  }
}
