/**
 * What a described service does with one whole request. In: the request, and faults that may meet it.
 * Out: its answer, and the book, changed. It never asks whether the sender still lives: a request received
 * is executed, unless the service itself restarts under it.
 */
import { performance } from 'node:perf_hooks';
import type { ArmedFaults } from '../armed-faults.ts';
import { type KeyEntry, KeyStore } from '../key-store.ts';
import type { JsonObject } from '../target.ts';
import type { ServedAnswer } from '../whole-request-server.ts';
import type { WorkItem } from '../work-in-hand.ts';
import type { Answers } from './answers.ts';
import type { Actor, EntityBook, Making } from './book.ts';
import { crowd } from './crowd.ts';
import { keyStatusesOf, type ListDescription, type ServiceDescription } from './description.ts';
import { fieldAt, isObject } from './fields.ts';
import { emptyPageThatClaimsMore, listPage, pagingQueries, readSize } from './pages.ts';
import { matchPath } from './paths.ts';

export interface KitRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  /** What came in the header of the key; null: nothing did. */
  readonly key: string | null;
  readonly actor: Actor;
  readonly life: WorkItem['life'];
}

export interface KitParts {
  readonly description: ServiceDescription;
  readonly book: EntityBook;
  readonly faults: ArmedFaults;
  readonly answers: Answers;
  readonly now: () => number;
}

interface KeyedRequest {
  readonly key: string;
  /** Two requests are the same exactly when these are. */
  readonly fingerprint: string;
}

export class KitService {
  readonly #parts: KitParts;
  readonly #keys: KeyStore<KeyedRequest, ServedAnswer>;

  constructor(parts: KitParts) {
    const { key } = parts.description;
    this.#parts = parts;
    this.#keys = new KeyStore({
      keptForMs:
        key === null || key.windowMs === 'forever' ? Number.POSITIVE_INFINITY : key.windowMs,
      now: parts.now,
    });
  }

  async answer(request: KitRequest): Promise<ServedAnswer> {
    const { method, path } = request;
    const { create, list, get, undo } = this.#parts.description;
    const place = (wanted: string, pattern: string | undefined) =>
      method === wanted && pattern !== undefined ? matchPath(pattern, path) : null;
    const made = place(create.method ?? 'POST', create.path);
    if (made !== null) return this.#create(request, made);
    const listed = place('GET', list?.path);
    if (listed !== null && list !== null) return this.#list(list, request, listed);
    const got = place('GET', get?.path);
    if (got !== null) return this.#get(got.id ?? '');
    const undone = place(undo?.method ?? '', undo?.path);
    if (undone !== null) return this.#undo(undone.id ?? '', request.actor);
    return this.#parts.answers.notFound(`There is no ${method} ${path}.`);
  }

  async #create(request: KitRequest, place: JsonObject): Promise<ServedAnswer> {
    const { description, faults, answers } = this.#parts;
    const refusal = faults.meet(request.actor, 'refused');
    if (refusal !== null) {
      return refusal.status === 401 ? answers.unauthorized() : answers.tooMany();
    }
    const body = readObject(request.body);
    if (body === null) return answers.invalid('The body must be a JSON object.');
    const asked = { ...place, ...body };
    const { key } = request;
    if (key === null || description.key === null)
      return (await this.#execute(asked, request)).answer;
    const { inFlight, conflict } = keyStatusesOf(description.key);
    if (faults.meet(request.actor, 'in-flight-conflict') !== null) {
      return answers.error(inFlight, 'in_flight', 'An earlier request under this key is at work.');
    }
    const fingerprint = `${request.path}\n${request.body}`;
    const { isFresh, entry } = this.#keys.take({ key, fingerprint });
    if (isFresh) return this.#executeUnder(entry, asked, request);
    if (entry.request.fingerprint !== fingerprint) {
      return answers.error(conflict, 'key_reused', 'This key came with another request before.');
    }
    return entry.stored === null
      ? answers.error(inFlight, 'in_flight', 'An earlier request under this key is at work.')
      : answers.replayed(entry.stored);
  }

  async #executeUnder(
    entry: KeyEntry<KeyedRequest, ServedAnswer>,
    asked: JsonObject,
    request: KitRequest,
  ): Promise<ServedAnswer> {
    const { began, answer } = await this.#execute(asked, request);
    if (began) this.#keys.store(entry, answer);
    else this.#keys.release(entry);
    return answer;
  }

  /** `began` is false for what is refused before execution: such an answer is not stored. */
  async #execute(
    asked: JsonObject,
    { actor, life }: KitRequest,
  ): Promise<{ readonly began: boolean; readonly answer: ServedAnswer }> {
    const { description, book, faults, answers } = this.#parts;
    const missing = missingField(description, asked);
    if (missing !== null) {
      return { began: false, answer: answers.invalid(`The field ${missing} is missing.`) };
    }
    await faults.pass(actor);
    // Read after a restart by nobody, and after a closing by whoever still waits.
    if (life.aborted) return { began: false, answer: answers.unauthorized() };
    const failure = faults.meet(actor, 'stored-error');
    const failed = answers.error(500, 'internal', 'Something went wrong.');
    if (failure !== null && !failure.landed) return { began: true, answer: failed };
    const { shown } = book.make(asked, this.#by(actor));
    return { began: true, answer: failure === null ? answers.created(shown) : failed };
  }

  #list(list: ListDescription, { actor, query }: KitRequest, place: JsonObject): ServedAnswer {
    const { description, book, faults, answers } = this.#parts;
    const failure = faults.meet(actor, 'lookup-error');
    if (failure !== null) return this.#failLookup(list, failure.how);
    const paging = pagingQueries(list);
    const asked = [...query].filter(([name]) => !paging.includes(name));
    const stranger = asked.find(([name]) => !(list.filters ?? []).includes(name));
    if (stranger !== undefined) return answers.invalid(`Unknown query: ${stranger[0]}.`);
    const wanted = [...Object.entries(place), ...asked];
    const isWanted = (shown: JsonObject) =>
      wanted.every(([name, value]) => String(fieldAt(shown, name)) === String(value));
    const paged = faults.meet(actor, 'paged');
    if (paged !== null && list.paging !== null) {
      const isFirstPage = !query.has(list.paging.query);
      const pageSize = readSize(list.paging, query) ?? list.paging.size.usual;
      const by = this.#by('person');
      crowd({ description, list, book, paged, isWanted, isFirstPage, pageSize, by });
    }
    const isStale = faults.meet(actor, 'stale-read') !== null;
    const visibleUntilMs = performance.now() - (isStale ? (list.lagMs ?? 0) : 0);
    const rows = book
      .listed()
      .filter(({ shown, landedMs }) => landedMs <= visibleUntilMs && isWanted(shown))
      .map(({ shown }) => shown);
    const listed = listPage({
      list,
      entity: description.entity,
      rows: list.order === 'newest-first' ? rows.reverse() : rows,
      query,
    });
    return listed.kind === 'page' ? answers.ok(listed.body) : answers.invalid(listed.why);
  }

  #failLookup(list: ListDescription, how: 401 | 429 | 500 | 'empty-claims-more'): ServedAnswer {
    const { answers } = this.#parts;
    switch (how) {
      case 401:
        return answers.unauthorized();
      case 429:
        return answers.tooMany();
      case 500:
        return answers.error(500, 'internal', 'Something went wrong.');
      case 'empty-claims-more':
        return answers.ok(emptyPageThatClaimsMore(list));
      default:
        return how satisfies never;
    }
  }

  #get(id: string): ServedAnswer {
    const { book, answers } = this.#parts;
    const entity = book.find(id);
    return entity?.isListed === true
      ? answers.ok(entity.shown)
      : answers.notFound(`There is no ${id}.`);
  }

  #undo(id: string, actor: Actor): ServedAnswer {
    const { book, answers } = this.#parts;
    const entity = book.find(id);
    if (actor !== 'person') return answers.unauthorized();
    if (entity === undefined || entity.isUndone) return answers.notFound(`There is no ${id}.`);
    book.undo(entity);
    return answers.ok(entity.shown);
  }

  #by(actor: Actor): Making {
    return { actor, nowMs: this.#parts.now(), landedMs: performance.now() };
  }
}

function readObject(body: string): JsonObject | null {
  try {
    const parsed = JSON.parse(body);
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** What an entity can't be without: its subject and its substance. */
function missingField({ entity }: ServiceDescription, asked: JsonObject): string | null {
  const needed = [entity.subject, ...Object.values(entity.substance)];
  return needed.find((path) => fieldAt(asked, path) === undefined) ?? null;
}
