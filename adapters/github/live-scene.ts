/** What a trial at GitHub itself has there, whether pull requests or an issue. */
import type { Examples, JournalEffect, RailWorldEvent } from '../rail.ts';
import type { JsonObject } from '../target.ts';
import type { Repository } from './configuration.ts';
import type { LiveClient } from './live-client.ts';

export interface LiveContext {
  readonly sandbox: Repository;
  /** Acts for people, and makes what a trial needs. */
  readonly maker: LiveClient;
  /** Reads the journal, and nothing else. */
  readonly reader: LiveClient;
  /** People's login where it is another than the subject's. */
  readonly personLogin: string | null;
  readonly run: string;
  readonly trial: string;
}

export interface LiveScene {
  readonly examples: (seed: number) => Examples;
  effects(): Promise<readonly JournalEffect[]>;
  world(event: RailWorldEvent, request: JsonObject): Promise<void>;
  /** Closes and removes what can be closed and removed. */
  clean(): Promise<void>;
}

export function refuseEvent(event: RailWorldEvent, known: readonly RailWorldEvent[]): never {
  throw new Error(
    `GitHub live rail: expected one of ${known.join(', ')}; came ${event}. Choose another event of the world.`,
  );
}
