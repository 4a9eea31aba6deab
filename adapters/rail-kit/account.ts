/**
 * One account of a described service: two credentials (the subject's and people's), a clock, armed faults
 * and what people do. In: its requests, and what a trial asks of it. Out: answers, and the journal.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ArmedFaults, meetingsOf } from '../armed-faults.ts';
import type { HeldRequest, RailFault, RailWorldEvent } from '../rail.ts';
import type { StandInNamespace } from '../stand-in-namespace.ts';
import type { Endpoint, JsonObject } from '../target.ts';
import type { ServedAnswer } from '../whole-request-server.ts';
import { WorkInHand, type WorkItem } from '../work-in-hand.ts';
import type { Answers } from './answers.ts';
import { type Actor, EntityBook } from './book.ts';
import type { ServiceDescription } from './description.ts';
import { type KitRequest, KitService } from './service.ts';
import { changeWorld, worldEventsOf } from './world.ts';

export type SeenRequest = Omit<KitRequest, 'body' | 'life'>;

export interface KitNamespace extends StandInNamespace {
  /** Stops the subject's next effect once its key is taken. */
  hold(): HeldRequest;
  /** Every whole request, oldest first. */
  requests(): readonly SeenRequest[];
}

export interface AccountOptions {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly description: ServiceDescription;
  readonly answers: Answers;
}

export class KitAccount {
  readonly credentials: Readonly<Record<Actor, string>> = {
    subject: `test_${randomBytes(18).toString('hex')}`,
    person: `test_${randomBytes(18).toString('hex')}`,
  };
  readonly #options: AccountOptions;
  readonly #book: EntityBook;
  readonly #faults = new ArmedFaults();
  readonly #service: KitService;
  readonly #can: readonly RailFault['kind'][];
  readonly #seen: SeenRequest[] = [];
  readonly #work = new WorkInHand();
  #clockOffsetMs = 0;

  constructor(options: AccountOptions) {
    const { id, description, answers } = options;
    const tag = createHash('sha256').update(id).digest('hex').slice(0, 16);
    this.#options = options;
    this.#book = new EntityBook(description, `${tag}-`);
    this.#can = faultsOf(description);
    this.#service = new KitService({
      description,
      answers,
      book: this.#book,
      faults: this.#faults,
      now: () => Date.now() + this.#clockOffsetMs,
    });
  }

  /** What a trial sees; `forget` makes the server drop the account's credentials. */
  open(forget: () => void): KitNamespace {
    const { description, endpoint } = this.#options;
    const { field } = description.credential;
    return {
      endpoint,
      credentials: { [field]: this.credentials.subject },
      personCredentials: { [field]: this.credentials.person },
      effects: async () => this.#book.journal(),
      examples: description.examples,
      idle: () => this.#work.isIdle(),
      setClock: (offsetMs) => {
        this.#clockOffsetMs = offsetMs;
      },
      can: this.#can,
      arm: (fault, fired) => {
        this.#requireCan(fault);
        this.#faults.arm(fault, { meetings: meetingsOf(fault), fired });
      },
      worldEvents: worldEventsOf(description),
      world: (event, request) => this.#changeWorld(event, request),
      hold: () => this.#faults.hold(),
      close: async () => {
        forget();
        this.close();
      },
      requests: () => this.#seen,
    };
  }

  close(): void {
    this.#work.end();
    this.#faults.clear();
  }

  /** A request has begun to arrive. */
  begin(request: IncomingMessage): WorkItem {
    return this.#work.begin(request);
  }

  async answer(request: KitRequest): Promise<ServedAnswer> {
    const { body: _, life: __, ...seen } = request;
    this.#seen.push(seen);
    return this.#service.answer(request);
  }

  async #changeWorld(event: RailWorldEvent, request: JsonObject): Promise<void> {
    if (event === 'rail-restarted') {
      await this.#work.restart(this.#faults);
      return;
    }
    const { description } = this.#options;
    const ask = (asked: {
      readonly method: string;
      readonly path: string;
      readonly body: string;
    }) =>
      this.#service.answer({
        ...asked,
        query: new URLSearchParams(),
        key: null,
        actor: 'person',
        life: new AbortController().signal,
      });
    await changeWorld(event, { description, book: this.#book, request, ask });
  }

  #requireCan({ kind }: RailFault): void {
    if (this.#can.includes(kind)) return;
    const { name } = this.#options.description;
    throw new Error(
      `${name} rail: expected one of the faults ${this.#can.join(', ')}; came ${kind}. in-flight-conflict and stored-error need a service that knows keys, lookup-error one that lists, stale-read a list with lagMs, paged one that pages.`,
    );
  }
}

/** Only what the service could do: without keys nothing is in flight, without a lag nothing is stale. */
function faultsOf({ key, list }: ServiceDescription): readonly RailFault['kind'][] {
  return [
    'refused',
    ...(key === null ? [] : (['stored-error', 'in-flight-conflict'] as const)),
    ...(list === null ? [] : (['lookup-error'] as const)),
    ...((list?.lagMs ?? 0) === 0 ? [] : (['stale-read'] as const)),
    ...((list?.paging ?? null) === null ? [] : (['paged'] as const)),
  ];
}
