/**
 * One repository of the stand-in: two tokens and logins (the subject's and people's), a service, a
 * clock, armed faults and what people do. In: its requests, and what a trial asks of it. Out: answers,
 * and the journal.
 */
import { createHash, randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { ArmedFaults } from '../../armed-faults.ts';
import type { HeldRequest, JournalEffect, RailFault, RailWorldEvent } from '../../rail.ts';
import type { StandInNamespace } from '../../stand-in-namespace.ts';
import type { Endpoint, JsonObject } from '../../target.ts';
import type { ServedAnswer } from '../../whole-request-server.ts';
import { WorkInHand, type WorkItem } from '../../work-in-hand.ts';
import { answerNotFound } from './answer.ts';
import { Book } from './book.ts';
import { commentExamples, mergeExamples } from './examples.ts';
import {
  type GitHubFault,
  gitHubFaultsOf,
  gitHubMeetingsOf,
  isGitHubRefusal,
  type Operation,
} from './faults.ts';
import { GitRepository } from './git-repository.ts';
import { commentJournal, mergeJournal } from './journal.ts';
import type { Actor, Parts } from './parts.ts';
import { type RepositoryName, readPlace } from './place.ts';
import { Pulls } from './pulls.ts';
import { GitHubService } from './service.ts';
import { type Template, writeTemplate } from './template.ts';
import type { Webhook } from './webhooks.ts';
import { changeWorld, worldEventsOf } from './world.ts';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly actor: Actor;
}

export interface ReceivedRequest extends SeenRequest {
  readonly body: string;
  /** The name and port it was sent to. */
  readonly host: string;
  readonly life: WorkItem['life'];
}

export interface GitHubRailNamespace extends StandInNamespace<GitHubFault> {
  /** Stops the subject's next effect once its request has been read. */
  hold(): HeldRequest;
  /** The folder of the bare repository. */
  readonly gitdir: string;
  /** Every whole request, oldest first; a client that sends again behind its caller's back shows here. */
  requests(): readonly SeenRequest[];
  /** What others were told, oldest first. */
  webhooks(): readonly Webhook[];
}

export interface GitHubAccountOptions {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly operation: Operation;
  readonly lagMs: number;
  readonly template: Template;
  /** Not there yet. */
  readonly gitdir: string;
}

/** Requests an hour, which no trial comes near. */
const rateLimit = 5000;

export class GitHubAccount {
  readonly tokens: Readonly<Record<Actor, string>> = {
    subject: `ghp_${randomBytes(18).toString('hex')}`,
    person: `ghp_${randomBytes(18).toString('hex')}`,
  };
  readonly #options: GitHubAccountOptions;
  readonly #name: RepositoryName;
  readonly #parts: Parts;
  readonly #pulls: Pulls;
  readonly #service: GitHubService;
  readonly #can: readonly RailFault['kind'][];
  readonly #seen: SeenRequest[] = [];
  readonly #webhooks: Webhook[] = [];
  readonly #work = new WorkInHand();
  #clockOffsetMs = 0;

  constructor(options: GitHubAccountOptions) {
    const { id, operation, lagMs, template, gitdir } = options;
    const digest = createHash('sha256').update(id).digest();
    const tag = digest.toString('hex', 0, 6);
    this.#options = options;
    this.#name = { owner: `owner-${tag}`, repo: 'project' };
    writeTemplate(template, gitdir);
    this.#parts = {
      operation,
      repository: new GitRepository(gitdir),
      book: new Book(template, digest.readUIntBE(6, 2) * 1_000_000_000),
      faults: new ArmedFaults<GitHubFault>(),
      lagMs,
      now: () => Date.now() + this.#clockOffsetMs,
      logins: { subject: `subject-${tag}`, person: `person-${tag}` },
      tell: (webhook) => this.#webhooks.push(webhook),
    };
    this.#pulls = new Pulls(this.#parts);
    this.#service = new GitHubService(this.#parts, this.#pulls);
    this.#can = gitHubFaultsOf(operation, lagMs);
  }

  /** What a trial sees; `forget` makes the server drop the tokens. */
  open(forget: () => void): GitHubRailNamespace {
    const { endpoint, operation, template, gitdir } = this.#options;
    const { faults } = this.#parts;
    return {
      endpoint,
      credentials: this.#credentialsOf('subject'),
      personCredentials: this.#credentialsOf('person'),
      effects: () => this.#journal(),
      examples: (seed) =>
        operation === 'merge' ? mergeExamples(template.pulls) : commentExamples(seed),
      idle: () => this.#work.isIdle(),
      setClock: (offsetMs) => {
        this.#clockOffsetMs = offsetMs;
      },
      can: this.#can,
      arm: (fault, fired) => {
        if (!isGitHubRefusal(fault)) this.#requireCan(fault);
        faults.arm(fault, { meetings: gitHubMeetingsOf(fault), fired });
      },
      close: async () => {
        forget();
        this.close();
        await this.remove();
      },
      worldEvents: worldEventsOf(operation),
      world: (event, request) => this.#changeWorld(event, request),
      hold: () => faults.hold(),
      gitdir,
      requests: () => this.#seen,
      webhooks: () => this.#webhooks,
    };
  }

  close(): void {
    this.#work.end();
    this.#parts.faults.clear();
  }

  /** Once nothing is at work in it any more. */
  remove(): Promise<void> {
    const { repository } = this.#parts;
    return repository.alone(() => rm(repository.gitdir, { recursive: true, force: true }));
  }

  /** A request has begun to arrive. */
  begin(request: IncomingMessage): WorkItem {
    return this.#work.begin(request);
  }

  async answer({ host, body, life, ...request }: ReceivedRequest): Promise<ServedAnswer> {
    const { method, path, actor } = request;
    this.#seen.push(request);
    const [pathname = '', search] = path.split('?', 2);
    const query = new URLSearchParams(search);
    const { repository, place = null } = readPlace(pathname) ?? {};
    const site = { api: `http://${host}`, name: this.#name };
    const answer =
      place === null || !isSame(repository, this.#name)
        ? answerNotFound()
        : await this.#service.answer({ method, place, query, body, actor, site, life });
    return { ...answer, headers: { ...this.#countRequest(), ...answer.headers } };
  }

  #countRequest(): Readonly<Record<string, string>> {
    const used = this.#seen.length;
    return {
      'x-ratelimit-limit': `${rateLimit}`,
      'x-ratelimit-remaining': `${Math.max(0, rateLimit - used)}`,
      'x-ratelimit-used': `${used}`,
      'x-ratelimit-reset': `${Math.ceil(this.#parts.now() / 1000) + 3600}`,
      'x-ratelimit-resource': 'core',
    };
  }

  async #changeWorld(event: RailWorldEvent, request: JsonObject): Promise<void> {
    if (event !== 'rail-restarted') {
      const { host, port } = this.#options.endpoint;
      // What people do here is done at once: no restart comes between.
      const { signal: life } = new AbortController();
      const base = `/repos/${this.#name.owner}/${this.#name.repo}`;
      const about = { actor: 'person', host: `${host}:${port}`, life } as const;
      const ask = (method: string, path: string, body?: JsonObject) =>
        this.answer({ ...about, method, path: `${base}${path}`, body: toText(body) });
      await changeWorld(event, { parts: this.#parts, pulls: this.#pulls, request, ask });
      return;
    }
    await this.#work.restart(this.#parts.faults);
  }

  #journal(): Promise<readonly JournalEffect[]> {
    const { repository, book, operation, logins } = this.#parts;
    const kept = { repository, book, name: this.#fullName, subjectLogin: logins.subject };
    return repository.alone(async () =>
      operation === 'merge' ? mergeJournal(kept) : commentJournal(kept),
    );
  }

  #credentialsOf(actor: Actor): JsonObject {
    return { token: this.tokens[actor], repository: this.#fullName };
  }

  get #fullName(): string {
    return `${this.#name.owner}/${this.#name.repo}`;
  }

  #requireCan({ kind }: RailFault): void {
    if (this.#can.includes(kind)) return;
    throw new Error(
      `GitHub rail: expected one of the faults ${this.#can.join(', ')}; came ${kind}. stale-read needs a rail with lagMs, paged one for comments, and this service keeps no answers, so it can replay none.`,
    );
  }
}

function toText(body: JsonObject | undefined): string {
  return body === undefined ? '' : JSON.stringify(body);
}

/** GitHub takes names in any case. */
function isSame(named: RepositoryName | undefined, own: RepositoryName): boolean {
  return (
    named?.owner.toLowerCase() === own.owner.toLowerCase() &&
    named.repo.toLowerCase() === own.repo.toLowerCase()
  );
}
