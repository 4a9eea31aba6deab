/**
 * A small service with a journal, and an EffectTarget for it. What it does with the next requests
 * and looks is told beforehand; what took effect is read from its journal alone.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type ApplyResult,
  type EffectTarget,
  type FenceResult,
  InvalidRequestError,
  type JsonObject,
  type Premise,
  type QueryResult,
  type TargetDeclaration,
  type UnknownCause,
} from '../../../adapters/target.ts';

export interface Effect {
  readonly entityId: string;
  readonly stamp: string;
  readonly request: JsonObject;
}

export type NextApply =
  | 'ok'
  | 'reply-lost'
  | 'request-lost'
  /** Takes effect only when the test says `landHeld`. */
  | 'held'
  | 'foreign'
  | 'unstamped'
  | 'refused'
  | 'refused-mendable'
  | 'stored-error'
  | 'in-flight'
  /** Answers only when the test says `endHung`. */
  | 'hang';
export type NextLook = 'ok' | 'could-not-tell' | 'many' | 'throws' | 'incomplete' | 'hang';

export interface ServiceCall {
  readonly op: 'apply' | 'query' | 'fence' | 'validate';
  readonly key: string;
  readonly atMs: number;
}

export class Service {
  readonly effects: Effect[] = [];
  readonly calls: ServiceCall[] = [];
  /** What each check of premises was asked to check. */
  readonly validated: (readonly Premise[])[] = [];
  readonly applies: NextApply[] = [];
  readonly looks: NextLook[] = [];
  readonly #dedupes: boolean;
  readonly #keys = new Map<string, string>();
  /** A later attempt takes a fence over; what was sent before it stays out for good. */
  readonly #fences = new Set<string>();
  readonly #held: { key: string; request: JsonObject }[] = [];
  readonly #hung: {
    readonly key: string;
    readonly request: JsonObject;
    readonly end: (result: ApplyResult) => void;
  }[] = [];
  readonly #waiters: (() => void)[] = [];
  /** A target passes its point of no return, and sends, only after this. */
  beforeSend: Promise<void> = Promise.resolve();
  validateHangs = false;
  /** What premises are checked against; NaN can't be read. */
  version = 1;
  /** Whether a call passes its point of no return before it ends. */
  marksBefore = true;
  #made = 0;

  constructor(dedupes: boolean) {
    this.#dedupes = dedupes;
  }

  count(op: ServiceCall['op']): number {
    return this.calls.filter((call) => call.op === op).length;
  }

  /** Forgets which keys it has seen, as a service does when its window is over. */
  prune(): void {
    this.#keys.clear();
  }

  /** What was on its way never arrives. */
  dropHeld(): void {
    this.#held.splice(0);
  }

  landHeld(): void {
    for (const { key, request } of this.#held.splice(0)) {
      if (!this.#fences.has(key)) this.#land(key, request);
    }
  }

  /** Hung calls are carried out now and answered, or cut off without an effect. */
  endHung(way: 'land' | 'cut'): void {
    for (const { key, request, end } of this.#hung.splice(0)) {
      if (way === 'cut') end(unknown('connection'));
      else end({ kind: 'landed', entityId: this.#land(key, request), stamp: key });
    }
  }

  /** Resolves once `count` calls of this kind have been received. */
  async received(op: ServiceCall['op'], count: number): Promise<void> {
    while (this.count(op) < count) {
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  async apply(key: string, request: JsonObject): Promise<ApplyResult> {
    this.#note('apply', key);
    const next = this.applies.shift() ?? 'ok';
    switch (next) {
      case 'ok':
        return { kind: 'landed', entityId: this.#land(key, request), stamp: key };
      case 'reply-lost':
        this.#land(key, request);
        return unknown('timeout');
      case 'request-lost':
        return unknown('connection');
      case 'held':
        this.#held.push({ key, request });
        return unknown('timeout');
      case 'foreign':
        this.#land(key, request);
        return { kind: 'landed', entityId: 'somebody-elses', stamp: 'f'.repeat(64) };
      case 'unstamped':
        this.#land(key, request);
        return { kind: 'landed', entityId: 'somebody-elses', stamp: null };
      case 'refused':
        return { kind: 'refused', reason: 'against the rules', mendable: false };
      case 'refused-mendable':
        return { kind: 'refused', reason: 'HTTP 403', mendable: true };
      case 'stored-error':
        return unknown('stored-error');
      case 'in-flight':
        return unknown('in-flight');
      case 'hang':
        return await new Promise((end) => this.#hung.push({ key, request, end }));
      default:
        return next satisfies never;
    }
  }

  async query(key: string): Promise<QueryResult> {
    this.#note('query', key);
    const next = this.looks.shift() ?? 'ok';
    if (next === 'could-not-tell') return { kind: 'could-not-tell', detail: 'HTTP 500' };
    if (next === 'throws') throw new Error('the query broke');
    if (next === 'hang') return await new Promise<never>(() => undefined);
    if (next === 'many') return { kind: 'many', entityIds: ['effect-1', 'effect-2'] };
    const found = this.effects.find((effect) => effect.stamp === key);
    if (found !== undefined) return { kind: 'found', entityId: found.entityId };
    if (next === 'incomplete') return { kind: 'absent' } as unknown as QueryResult;
    return { kind: 'absent', complete: true };
  }

  async fence(key: string): Promise<FenceResult> {
    this.#note('fence', key);
    const next = this.looks.shift() ?? 'ok';
    if (next === 'could-not-tell') return { kind: 'could-not-tell', detail: '500' };
    if (next === 'hang') return await new Promise<never>(() => undefined);
    const found = this.effects.find((effect) => effect.stamp === key);
    if (found !== undefined) return { kind: 'found', entityId: found.entityId };
    this.#fences.add(key);
    return { kind: 'planted' };
  }

  /** Serves itself to other processes: POST /apply and /query with a key. */
  async listen(): Promise<{ readonly url: string; readonly server: Server }> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { key, request: asked } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
        const answer = request.url === '/apply' ? this.apply(key, asked) : this.query(key);
        answer.then(
          (result) => response.end(JSON.stringify(result)),
          () => response.destroy(),
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, server };
  }

  noteValidate(key: string, premises: readonly Premise[]): void {
    this.validated.push(premises);
    this.#note('validate', key);
  }

  #land(key: string, request: JsonObject): string {
    const known = this.#keys.get(key);
    if (this.#dedupes && known !== undefined) return known;
    this.#made += 1;
    const entityId = `effect-${this.#made}`;
    this.#keys.set(key, entityId);
    this.effects.push({ entityId, stamp: key, request });
    return entityId;
  }

  #note(op: ServiceCall['op'], key: string): void {
    this.calls.push({ op, key, atMs: performance.now() });
    for (const wake of this.#waiters.splice(0)) wake();
  }
}

export const declarations = {
  dedupes: declare({ dedupe: { windowMs: 86_400_000 } }),
  dedupesAndLooks: declare({
    dedupe: { windowMs: 86_400_000 },
    lookup: { lagMs: 10, seesDeletions: false },
    absence: { landingBoundMs: 30 },
  }),
  fence: declare({ lookup: { lagMs: 10, seesDeletions: false }, absence: 'fence' }),
  bound: declare({
    lookup: { lagMs: 10, seesDeletions: false },
    absence: { landingBoundMs: 30 },
  }),
  unbounded: declare({ lookup: { lagMs: 10, seesDeletions: false } }),
  neither: declare({}),
  marked: declare({ noReturnMark: true }),
} satisfies Record<string, TargetDeclaration>;

export function declare(facts: Partial<TargetDeclaration>): TargetDeclaration {
  return {
    dedupe: null,
    onceByState: false,
    guardsPremises: false,
    lookup: null,
    absence: 'never',
    storedErrorFinal: false,
    noReturnMark: false,
    premises: [],
    clientTimeoutMs: 40,
    ...facts,
  };
}

/** Where a target's calls go: straight to a Service, or over HTTP to one in another process. */
export interface Connection {
  apply(key: string, request: JsonObject): Promise<ApplyResult>;
  query(key: string): Promise<QueryResult>;
}

export function targetFor(service: Service, declaration: TargetDeclaration): EffectTarget {
  return {
    ...plainTarget(service, declaration),
    async validate(_request, premises, ownKey) {
      service.noteValidate(ownKey, premises);
      if (service.validateHangs) return await new Promise<never>(() => undefined);
      const found = service.version;
      if (Number.isNaN(found)) return { kind: 'could-not-tell', detail: 'HTTP 500' };
      const stale = premises.find(({ kind, value }) => kind === 'value-equals' && value !== found);
      // Our own effect is no change of the world.
      if (stale === undefined || service.effects.some((effect) => effect.stamp === ownKey)) {
        return { kind: 'hold' };
      }
      return { kind: 'stale', fact: stale.fact, expected: stale.value, found };
    },
    async apply(call) {
      await service.beforeSend;
      if (service.marksBefore) call.markNoReturn?.();
      return await service.apply(call.key, call.request);
    },
    ...(declaration.absence === 'fence' && { fence: (call) => service.fence(call.key) }),
  };
}

export function plainTarget(connection: Connection, declaration: TargetDeclaration): EffectTarget {
  return {
    name: 'test-service',
    declaration,
    identify(request) {
      const { order } = request;
      if (typeof order !== 'string') throw new InvalidRequestError('order: expected a string');
      const identity = { target: 'test-service', account: 'acct', operation: 'refund' };
      return { ...identity, subject: order, keyFields: {} };
    },
    async capture() {
      return [];
    },
    async validate() {
      return { kind: 'hold' };
    },
    apply: (call) => connection.apply(call.key, call.request),
    ...(declaration.lookup !== null && { query: (call) => connection.query(call.key) }),
  };
}

export function overHttp(url: string): Connection {
  return {
    apply: async (key, request) => await post(`${url}/apply`, { key, request }),
    query: async (key) => await post(`${url}/query`, { key }),
  };
}

export function premiseOf(value: number): Premise {
  return { kind: 'value-equals', fact: 'version', value };
}

async function post<T>(url: string, body: JsonObject): Promise<T> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  return (await response.json()) as T;
}

function unknown(cause: UnknownCause): ApplyResult {
  return { kind: 'unknown', cause, detail: 'as told' };
}
