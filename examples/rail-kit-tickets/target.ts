/**
 * Tickets at a service without keys. In: an already decided ticket and its key, which is only a stamp
 * here. Out: what the service provably did; and, by that stamp, whether a ticket is there.
 */
// In a project of your own: from 'killpoint/target'.
import {
  type ApplyResult,
  type CreateTarget,
  InvalidRequestError,
  type JsonObject,
  type QueryResult,
} from '../../adapters/target.ts';

/** A list that is longer is taken for one that never ends. */
const maxPages = 100;

export const createTarget: CreateTarget = ({ endpoint, credentials, options }) => {
  const clientTimeoutMs = Number(options.clientTimeoutMs ?? 10_000);
  const pageSize = Number(options.pageSize ?? 100);
  const { landingBoundMs } = options;

  const send = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(
      `${endpoint.protocol}://${endpoint.host}:${endpoint.port}${path}`,
      {
        ...init,
        headers: { 'x-api-key': String(credentials.apiKey), 'content-type': 'application/json' },
        signal: AbortSignal.timeout(clientTimeoutMs),
        redirect: 'error',
      },
    );
    return { status: response.status, body: await response.json() };
  };

  return {
    name: 'tickets',
    declaration: {
      dedupe: null,
      onceByState: false,
      guardsPremises: false,
      lookup: { lagMs: Number(options.lagMs ?? 1_000), seesDeletions: true },
      // Somebody has to promise how long a request can still land; without it an absence is never final.
      absence: typeof landingBoundMs === 'number' ? { landingBoundMs } : 'never',
      storedErrorFinal: false,
      noReturnMark: false,
      premises: [],
      clientTimeoutMs,
    },
    identify: (request) => ({
      target: 'tickets',
      account: 'default',
      operation: 'open',
      subject: readTicket(request).customer,
      keyFields: {},
    }),
    capture: async () => [],
    validate: async () => ({ kind: 'hold' }),
    apply: async ({ key, request }) => {
      const { customer, title, severity } = readTicket(request);
      const body = JSON.stringify({ title, severity, external_id: key });
      try {
        return classify(await send(pathOf(customer), { method: 'POST', body }));
      } catch (error) {
        const cause = (error as Error).name === 'TimeoutError' ? 'timeout' : 'connection';
        return { kind: 'unknown', cause, detail: String(error) };
      }
    },
    query: async ({ key, request }): Promise<QueryResult> => {
      const path = `${pathOf(readTicket(request).customer)}?per_page=${pageSize}`;
      const found = new Set<string>();
      try {
        for (let page = 1; page <= maxPages; page += 1) {
          const rows = readRows(await send(`${path}&page=${page}`));
          for (const row of rows) if (row.external_id === key) found.add(row.number);
          if (rows.length < pageSize) return conclude([...found]);
        }
        return { kind: 'could-not-tell', detail: `the list did not end in ${maxPages} pages` };
      } catch (error) {
        return { kind: 'could-not-tell', detail: String(error) };
      }
    },
  };
};

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface Ticket {
  readonly number: string;
  readonly external_id?: string | null;
}

function pathOf(customer: string): string {
  return `/customers/${encodeURIComponent(customer)}/tickets`;
}

function classify({ status, body }: Answer): ApplyResult {
  const { number, external_id: stamp, error } = body as Partial<Ticket> & { error?: unknown };
  if (status === 201 && typeof number === 'string') {
    return { kind: 'landed', entityId: number, stamp: stamp ?? null };
  }
  const detail = `status ${status}: ${JSON.stringify(error ?? 'no error of the service')}`;
  if (error === undefined) return { kind: 'unknown', cause: 'unreadable', detail };
  if (status === 401 || status === 429) return { kind: 'refused', reason: detail, mendable: true };
  if (status === 400 || status === 404) return { kind: 'refused', reason: detail, mendable: false };
  return { kind: 'unknown', cause: 'server-error', detail };
}

/** Throws for anything that is not a whole page: an errored list is not an empty one. */
function readRows({ status, body }: Answer): readonly Ticket[] {
  if (status === 200 && Array.isArray(body)) return body as readonly Ticket[];
  throw new Error(`expected a page of tickets, got status ${status} without one`);
}

function conclude(found: readonly string[]): QueryResult {
  const [first, ...others] = found;
  if (first === undefined) return { kind: 'absent', complete: true };
  return others.length === 0
    ? { kind: 'found', entityId: first }
    : { kind: 'many', entityIds: found };
}

function readTicket({ operation, customer, title, severity }: JsonObject) {
  if (
    operation === 'open' &&
    typeof customer === 'string' &&
    typeof title === 'string' &&
    Number.isSafeInteger(severity)
  ) {
    return { customer, title, severity: Number(severity) };
  }
  throw new InvalidRequestError(
    'Ticket request: expected operation open, a customer, a title and a severity as an integer.',
  );
}
