/**
 * A described service that already runs: a development server, a vendor's sandbox. In: its address, and a
 * credential from the environment. Out: the least that is a rail, whose journal is the service's own list.
 * It does nothing wrong by itself, undoes nothing, and what trials made stays there.
 */
import { randomInt } from 'node:crypto';
import type { JournalEffect, Rail, RailConfig, RailNamespace } from '../rail.ts';
import type { Endpoint, JsonObject, JsonValue } from '../target.ts';
import { readEffect } from './book.ts';
import type { ListDescription, ServiceDescription } from './description.ts';
import { fieldAt } from './fields.ts';
import { readPage, sizeAskedFor } from './pages.ts';
import { fillPath } from './paths.ts';

/** Far more than a trial makes: a list that is longer is taken for one that never ends. */
const mostPages = 100;
/** The harness's own effects carry such a stamp; no other way shows who made one. */
const stampOfPeople = /^control-/;
/** How long the service has for a page of its list. */
const patienceMs = 10_000;
/** What examples are drawn from: 31 bits. */
const seedRange = 2 ** 31;

export function createRunningRail(
  description: ServiceDescription,
  url: string,
  { environment = {} }: RailConfig,
): Rail {
  const { name, credential } = description;
  const base = readUrl(name, url);
  const list = requireReadable(description);
  const given = environment[credential.environment];
  // Whatever trials made before is still there, so that no two runs may ask for the same.
  const shift = randomInt(seedRange);
  return {
    name,
    ...((given === undefined || given === '') && {
      unavailable: `set ${credential.environment} to the credential for ${url}, which goes out in the header ${credential.header}`,
    }),
    openNamespace: async (): Promise<RailNamespace> => {
      const asked = new Map<string, JsonObject>();
      return {
        endpoint: endpointOf(base),
        credentials: { [credential.field]: given ?? 'none' },
        examples: (seed) => {
          const examples = description.examples((seed + shift) % seedRange);
          for (const request of [examples.request, examples.distinct, examples.lookAlike]) {
            const entity = description.entityOf(request);
            asked.set(String(fieldAt(entity, description.entity.subject)), entity);
          }
          return examples;
        },
        effects: async () => {
          const journal: JournalEffect[] = [];
          for (const entity of asked.values()) {
            const rows = await readAll(
              { description, list, base, credential: given ?? '' },
              entity,
            );
            journal.push(...rows.map((row) => toEffect(description, row)));
          }
          return journal;
        },
      };
    },
    close: async () => undefined,
  };
}

function toEffect(description: ServiceDescription, row: JsonObject): JournalEffect {
  // When it was made is the service's own to say, in a field that nobody described.
  const effect = readEffect(description, row, { actor: 'subject', atMs: 0 });
  const isOfPeople = effect.stamp !== null && stampOfPeople.test(effect.stamp);
  return isOfPeople ? { ...effect, actor: 'person' } : effect;
}

interface Reading {
  readonly description: ServiceDescription;
  readonly list: ListDescription;
  readonly base: URL;
  readonly credential: string;
}

/** All that the service lists for one subject, oldest first. */
async function readAll(reading: Reading, entity: JsonObject): Promise<readonly JsonObject[]> {
  const { description, list } = reading;
  const rows = new Map<string, JsonObject>();
  let next: string | null = null;
  for (let page = 1; page <= mostPages; page += 1) {
    const body = await ask(reading, entity, next);
    const read = readPage(list, description.entity, { body, page, before: rows.size });
    for (const row of read.rows) rows.set(String(fieldAt(row, description.entity.id)), row);
    if (read.next === null) {
      const all = [...rows.values()];
      return list.order === 'newest-first' ? all.reverse() : all;
    }
    next = read.next;
  }
  throw new Error(`${description.name}: the list did not end within ${mostPages} pages`);
}

async function ask(
  { description, list, base, credential }: Reading,
  entity: JsonObject,
  next: string | null,
): Promise<JsonValue> {
  const url = new URL(base);
  url.pathname = fillPath(list.path, entity);
  const { paging } = list;
  for (const filter of list.filters ?? []) {
    if (filter === description.entity.subject) {
      url.searchParams.set(filter, String(fieldAt(entity, filter)));
    }
  }
  if (paging?.size.query !== undefined) {
    url.searchParams.set(paging.size.query, String(sizeAskedFor(paging)));
  }
  if (paging !== null && next !== null) url.searchParams.set(paging.query, next);
  const { header, prefix = '' } = description.credential;
  const response = await fetch(url, {
    headers: { [header]: `${prefix}${credential}` },
    signal: AbortSignal.timeout(patienceMs),
  });
  const text = await response.text();
  if (response.status !== 200) {
    throw new Error(
      `${description.name}: expected the journal from GET ${url.pathname}, got status ${response.status}: ${text.replaceAll(credential, '[credential]').slice(0, 200)}`,
    );
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(
      `${description.name}: expected JSON from GET ${url.pathname}, got ${text.slice(0, 80)}`,
    );
  }
}

function readUrl(name: string, url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const isPlain = parsed?.protocol === 'http:' || parsed?.protocol === 'https:';
  if (parsed !== null && isPlain && parsed.pathname === '/' && parsed.username === '')
    return parsed;
  throw new Error(
    `${name} rail: expected url to be http://HOST:PORT or https://HOST, got ${JSON.stringify(url)}; paths are the description's, and credentials come from the environment`,
  );
}

function endpointOf({ protocol, hostname, port }: URL): Endpoint {
  return protocol === 'https:'
    ? { protocol: 'https', host: hostname, port: port === '' ? 443 : Number(port) }
    : { protocol: 'http', host: hostname, port: port === '' ? 80 : Number(port) };
}

/** Throws where the service can't show what took effect, and whose it was. */
function requireReadable({ name, list, stamp }: ServiceDescription): ListDescription {
  if (list !== null && stamp !== null) return list;
  const missing = list === null ? 'a list' : 'a stamp';
  throw new Error(
    `${name} rail: expected ${missing} in the description of a server that already runs, got null; without it nothing shows what took effect there and whose it was. Use the stand-in: leave out url`,
  );
}
