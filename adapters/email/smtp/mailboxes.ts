/**
 * The mail of one namespace: who may send there, what was taken over, and what a trial makes go wrong.
 * In: whole messages, and what a trial asks. Out: a reply for each, and the journal.
 */
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { ArmedFaults, meetingsOf } from '../../armed-faults.ts';
import type { HeldRequest, JournalEffect, RailWorldEvent } from '../../rail.ts';
import type { StandInNamespace } from '../../stand-in-namespace.ts';
import type { Endpoint, JsonObject } from '../../target.ts';
import { WorkInHand, type WorkItem } from '../../work-in-hand.ts';
import { exampleRequests } from '../examples.ts';
import type { Credentials } from './configuration.ts';
import { type Received, readDeliveries } from './delivery.ts';
import { changeWorld } from './world.ts';

export type Actor = JournalEffect['actor'];

export interface SmtpRailNamespace extends StandInNamespace {
  readonly can: readonly ['turned-down'];
  /** Stops the subject's next mail between its final dot and its acceptance. */
  hold(): HeldRequest;
  close(): Promise<void>;
}

/** What a server says of a message whose dot it has read. */
export type Answer =
  | { readonly kind: 'queued'; readonly queueId: string }
  | { readonly kind: 'refused'; readonly code: number; readonly text: string }
  /** The server died over it, and says nothing. */
  | { readonly kind: 'none' };

/** RFC 5321 4.2.3 and RFC 3463. */
const refusals = {
  forNow: { kind: 'refused', code: 451, text: 'Requested action aborted: local error' },
  forGood: { kind: 'refused', code: 550, text: 'Message content rejected' },
} as const;

export class Mailboxes {
  readonly logins: Readonly<Record<Actor, Credentials>>;
  readonly #endpoint: Endpoint;
  readonly #tag = randomBytes(8).toString('hex');
  readonly #journal: JournalEffect[] = [];
  readonly #faults = new ArmedFaults();
  readonly #work = new WorkInHand();
  #clockOffsetMs = 0;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    this.logins = { subject: this.#createLogin('shop'), person: this.#createLogin('person') };
  }

  /** What a trial sees; `forget` makes the server drop the namespace's logins. */
  open(forget: () => void): SmtpRailNamespace {
    return {
      endpoint: this.#endpoint,
      credentials: { ...this.logins.subject },
      personCredentials: { ...this.logins.person },
      effects: async () => [...this.#journal],
      examples: exampleRequests,
      idle: () => this.#work.isIdle(),
      setClock: (offsetMs) => {
        this.#clockOffsetMs = offsetMs;
      },
      can: ['turned-down'],
      arm: (fault, fired) => {
        if (fault.kind !== 'turned-down') {
          throw new Error(
            `Mail rail: expected the fault turned-down; came ${fault.kind}. A mail server stores no answers and can't be asked, so there are no others.`,
          );
        }
        this.#faults.arm(fault, { meetings: meetingsOf(fault), fired });
      },
      worldEvents: ['done-by-hand', 'unrelated-change', 'rail-restarted'],
      world: (event, request) => this.#changeWorld(event, request),
      hold: () => this.#faults.hold(),
      close: async () => {
        forget();
        this.close();
      },
    };
  }

  close(): void {
    this.#work.end();
    this.#faults.clear();
  }

  /** A message has begun to arrive. */
  begin(socket: Socket): WorkItem {
    return this.#work.begin({ socket });
  }

  /** A message has arrived with its dot: it is looked at, and taken over or not. */
  async take(received: Received, { life }: WorkItem): Promise<Answer> {
    const { actor } = received;
    const fault = this.#faults.meet(actor, 'turned-down');
    if (fault !== null) return fault.forGood ? refusals.forGood : refusals.forNow;
    const deliveries = await readDeliveries(received);
    await this.#faults.pass(actor);
    if (life.aborted) return { kind: 'none' };
    const queueId = `${this.#tag}${String(this.#journal.length + 1).padStart(4, '0')}`;
    const atMs = Date.now() + this.#clockOffsetMs;
    deliveries.forEach((delivery, index) => {
      const entityId = index === 0 ? queueId : `${queueId}.${index}`;
      this.#journal.push({ ...delivery, entityId, atMs });
    });
    return { kind: 'queued', queueId };
  }

  async #changeWorld(event: RailWorldEvent, request: JsonObject): Promise<void> {
    if (event === 'rail-restarted') {
      await this.#work.restart(this.#faults);
      return;
    }
    await changeWorld(event, { endpoint: this.#endpoint, login: this.logins.person, request });
  }

  #createLogin(name: string): Credentials {
    return { user: `${name}-${this.#tag}`, pass: randomBytes(18).toString('hex') };
  }
}
