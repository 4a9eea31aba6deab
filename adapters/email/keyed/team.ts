/**
 * One team of the stand-in: two API keys (the subject's and people's), a service, a clock, armed faults
 * and what people do. In: its requests, and what a trial asks of it. Out: answers, and the journal.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ArmedFaults, meetingsOf } from '../../armed-faults.ts';
import type { HeldRequest, RailFault, RailWorldEvent } from '../../rail.ts';
import type { StandInNamespace } from '../../stand-in-namespace.ts';
import type { Endpoint, JsonObject } from '../../target.ts';
import type { ServedAnswer } from '../../whole-request-server.ts';
import { WorkInHand, type WorkItem } from '../../work-in-hand.ts';
import { domainOf } from '../address.ts';
import { exampleRequests } from '../examples.ts';
import { parseMailRequest } from '../request.ts';
import type { Actor } from './accepted-mail.ts';
import { Outbox } from './outbox.ts';
import { MailService, type MailServiceRequest } from './service.ts';
import { changeWorld, isMailWorldEvent, mailWorldEvents } from './world.ts';

export type SeenRequest = Omit<MailServiceRequest, 'life'>;

export interface KeyedRailNamespace extends StandInNamespace {
  /** Stops the subject's next mail once it has arrived whole and its key is taken. */
  hold(): HeldRequest;
  /** Every whole request, oldest first. */
  requests(): readonly SeenRequest[];
}

const can: readonly RailFault['kind'][] = [
  'refused',
  'turned-down',
  'in-flight-conflict',
  'stored-error',
];

export class MailTeam {
  readonly apiKeys: Readonly<Record<Actor, string>> = {
    subject: `re_${randomBytes(18).toString('hex')}`,
    person: `re_${randomBytes(18).toString('hex')}`,
  };
  readonly #endpoint: Endpoint;
  readonly #outbox = new Outbox();
  readonly #faults = new ArmedFaults();
  readonly #service: MailService;
  readonly #seen: SeenRequest[] = [];
  readonly #work = new WorkInHand();
  #clockOffsetMs = 0;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    this.#service = new MailService({
      outbox: this.#outbox,
      faults: this.#faults,
      verifiedDomain: domainOf(parseMailRequest(exampleRequests(0).request).from),
      now: () => Date.now() + this.#clockOffsetMs,
    });
  }

  /** What a trial sees; `forget` makes the server drop the team's API keys. */
  open(forget: () => void): KeyedRailNamespace {
    return {
      endpoint: this.#endpoint,
      credentials: { apiKey: this.apiKeys.subject },
      personCredentials: { apiKey: this.apiKeys.person },
      effects: async () => this.#outbox.journal(),
      examples: exampleRequests,
      idle: () => this.#work.isIdle(),
      setClock: (offsetMs) => {
        this.#clockOffsetMs = offsetMs;
      },
      can,
      arm: (fault, fired) => {
        if (!can.includes(fault.kind)) {
          throw new Error(
            `Mail rail: expected one of the faults ${can.join(', ')}; came ${fault.kind}. Nobody can ask this service by a stamp.`,
          );
        }
        this.#faults.arm(fault, { meetings: meetingsOf(fault), fired });
      },
      worldEvents: mailWorldEvents,
      world: (event, request) => this.#changeWorld(event, request),
      hold: () => this.#faults.hold(),
      requests: () => this.#seen,
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

  /** A request has begun to arrive. */
  begin(request: IncomingMessage): WorkItem {
    return this.#work.begin(request);
  }

  async answer(request: MailServiceRequest): Promise<ServedAnswer> {
    const { life: _, ...seen } = request;
    this.#seen.push(seen);
    return this.#service.answer(request);
  }

  async #changeWorld(event: RailWorldEvent, request: JsonObject): Promise<void> {
    if (!isMailWorldEvent(event)) {
      throw new Error(
        `Mail rail: expected one of the events ${mailWorldEvents.join(', ')}; came ${event}. A mail has no premises, and can't be undone.`,
      );
    }
    if (event !== 'rail-restarted') {
      // What people do here is done at once: no restart comes between.
      const { signal: life } = new AbortController();
      const asked = { method: 'POST', path: '/emails', key: null, actor: 'person', life } as const;
      await changeWorld(event, {
        request,
        send: (body) => this.answer({ ...asked, body: JSON.stringify(body) }),
      });
      return;
    }
    await this.#work.restart(this.#faults);
  }
}
