/**
 * What a repository does with one whole request. In: the request, and faults that may meet it. Out: its
 * answer; git and the book, changed. It never asks whether the sender still lives: a request received is
 * executed, unless the service itself restarts under it.
 */
import { performance } from 'node:perf_hooks';
import type { ServedAnswer } from '../../whole-request-server.ts';
import type { WorkItem } from '../../work-in-hand.ts';
import { answerJson, answerNotFound, answerServerError } from './answer.ts';
import { Comments, readPageQuery } from './comments.ts';
import { crowdList } from './crowd.ts';
import { answerLookupError, answerRefusal } from './faults.ts';
import { Merging } from './merging.ts';
import { parseComment, parseMerge, parseTitle } from './parse-body.ts';
import type { Actor, Parts } from './parts.ts';
import type { Place } from './place.ts';
import type { Pulls, Reading } from './pulls.ts';
import { renderRepository, type Site } from './render-repository.ts';

export interface GitHubRequest {
  readonly method: string;
  readonly place: Place;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly actor: Actor;
  readonly site: Site;
  readonly life: WorkItem['life'];
}

export class GitHubService {
  readonly #parts: Parts;
  readonly #pulls: Pulls;
  readonly #merging: Merging;
  readonly #comments: Comments;
  /** Whether a list has changed between two of its pages. */
  #hasChanged = false;

  constructor(parts: Parts, pulls: Pulls) {
    this.#parts = parts;
    this.#pulls = pulls;
    this.#merging = new Merging(parts, this.#pulls);
    this.#comments = new Comments(parts);
  }

  async answer(request: GitHubRequest): Promise<ServedAnswer> {
    switch (request.method) {
      case 'GET':
        return this.#read(request);
      case 'PUT':
      case 'POST':
      case 'PATCH':
      case 'DELETE':
        return this.#write(request);
      default:
        return answerNotFound();
    }
  }

  async #read(request: GitHubRequest): Promise<ServedAnswer> {
    const { place, query, actor, site } = request;
    const failure = this.#failLookup(request);
    if (failure !== null) return failure;
    if (place.of === 'comments') this.#crowd(place.number, query, actor);
    // Last: what a crowd has just written is there to be seen.
    const reading = this.#reading(request);
    switch (place.of) {
      case 'pull':
        return this.#alone(request, () => this.#pulls.answerPull(place.number, reading));
      case 'merge':
        return this.#pulls.answerMerged(place.number, reading);
      case 'commit':
        return this.#alone(request, () => this.#pulls.answerCommit(place.name, site));
      case 'ref':
        return this.#alone(request, () => this.#pulls.answerRef(place.name, site));
      case 'issue':
        return this.#comments.answerIssue(place.number, site);
      case 'comments':
        return this.#comments.list(place.number, query, reading);
      case 'comment':
        return this.#comments.answerComment(place.id, site);
      case 'repository':
        return answerJson(200, renderRepository(site));
      case 'refs':
        return answerNotFound();
      default:
        return place satisfies never;
    }
  }

  async #write(request: GitHubRequest): Promise<ServedAnswer> {
    const { method, place, body, actor, site, life } = request;
    const refusal = this.#refuse(request);
    if (refusal !== null) return refusal;
    if (place.of === 'merge' && method === 'PUT') {
      const parsed = parseMerge(body);
      if (parsed.kind === 'refused') return parsed.answer;
      return this.#merging.merge({ number: place.number, body: parsed.value, actor, life });
    }
    if (place.of === 'comments' && method === 'POST') {
      const parsed = parseComment(body);
      if (parsed.kind === 'refused') return parsed.answer;
      const asked = { number: place.number, body: parsed.value, actor, life };
      return this.#comments.create(asked, site);
    }
    if (place.of === 'issue' && method === 'PATCH') {
      const parsed = parseTitle(body);
      if (parsed.kind === 'refused') return parsed.answer;
      return this.#comments.setTitle(place.number, parsed.value, site);
    }
    if (place.of === 'refs' && method === 'DELETE') {
      return this.#alone(request, () => this.#pulls.deleteRef(place.name));
    }
    if (place.of === 'comment' && method === 'DELETE') {
      return this.#comments.deleteComment(place.id);
    }
    return answerNotFound();
  }

  /** Whatever touches git is done one after the other, and no more once the service has died. */
  #alone({ life }: GitHubRequest, work: () => Promise<ServedAnswer>): Promise<ServedAnswer> {
    return this.#parts.repository.alone(async () =>
      life.aborted ? answerServerError(502) : await work(),
    );
  }

  #reading(request: GitHubRequest): Reading {
    const { actor, site } = request;
    const isStale =
      this.#isLookup(request) && this.#parts.faults.meet(actor, 'stale-read') !== null;
    const visibleUntilMs = isStale
      ? performance.now() - this.#parts.lagMs
      : Number.POSITIVE_INFINITY;
    return { site, visibleUntilMs };
  }

  #failLookup(request: GitHubRequest): ServedAnswer | null {
    if (!this.#isLookup(request)) return null;
    const { actor, place, query, site } = request;
    const failure = this.#parts.faults.meet(actor, 'lookup-error');
    if (failure === null) return null;
    if (failure.how !== 'empty-claims-more') return answerLookupError(failure.how);
    const number = place.of === 'comments' ? place.number : 0;
    return this.#comments.answerEmptyPage(number, query, site);
  }

  /** Where an effect of the operation is looked for. */
  #isLookup({ method, place }: GitHubRequest): boolean {
    if (method !== 'GET') return false;
    return this.#parts.operation === 'comment'
      ? place.of === 'comments'
      : ['pull', 'merge', 'commit'].includes(place.of);
  }

  /** Where an effect of the operation is made. */
  #isEffect({ method, place }: GitHubRequest): boolean {
    return this.#parts.operation === 'comment'
      ? method === 'POST' && place.of === 'comments'
      : method === 'PUT' && place.of === 'merge';
  }

  #refuse(request: GitHubRequest): ServedAnswer | null {
    if (!this.#isEffect(request)) return null;
    const { faults, operation } = this.#parts;
    const refusal = faults.meet(request.actor, 'turned-down', 'forbidden', 'limited');
    return refusal === null ? null : answerRefusal(refusal, operation);
  }

  #crowd(issueNumber: number, query: URLSearchParams, actor: Actor): void {
    const { book, faults, logins, now } = this.#parts;
    const paged = faults.meet(actor, 'paged');
    if (paged === null) return;
    const changed = crowdList({
      book,
      issueNumber,
      page: readPageQuery(query),
      paged,
      subjectLogin: logins.subject,
      by: { login: logins.person, nowMs: now() },
      hasChanged: this.#hasChanged,
    });
    this.#hasChanged ||= changed;
  }
}
