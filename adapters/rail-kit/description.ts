/**
 * An HTTP service that makes one kind of effect, described: where it is asked for, where its key and its
 * stamp go, how it lists. Plain data, and a few small functions for what differs from request to request.
 *
 * A field is named by its path in a JSON object: `amount`, `metadata.decision`.
 */
import type { Examples } from '../rail.ts';
import type { JsonObject } from '../target.ts';

export interface ServiceDescription {
  readonly name: string;
  readonly credential: CredentialDescription;
  /** Where an effect is asked for. `{order}` in a path stands for the entity's field of that name. */
  readonly create: {
    readonly path: string;
    /** Absent: POST. */
    readonly method?: 'POST' | 'PUT';
    /** Of the answer that has the entity; absent: 201. */
    readonly status?: number;
  };
  /** Null: the service knows no keys. */
  readonly key: KeyDescription | null;
  /** The field that carries our stamp, in what is posted and in every entity; null: there is none. */
  readonly stamp: string | null;
  /** Null: nobody can ask what is there. */
  readonly list: ListDescription | null;
  /** One entity by its id: `/payments/{id}`. */
  readonly get?: { readonly path: string };
  /** How people undo an effect; absent: they can't. */
  readonly undo?: UndoDescription;
  readonly entity: EntityDescription;
  /** Other statuses than the usual ones. */
  readonly statuses?: Partial<Statuses>;
  /** The body of an answer that is none of 2xx; absent: `{ error: { code, message } }`. */
  readonly errorBody?: (error: ServiceError) => JsonObject;
  /** What a trial asks of the service. Its subjects need not exist beforehand. */
  readonly examples: (seed: number) => Examples;
  /** What a request asks for, as the service writes it: the fields of its path and of its body, without id and stamp. */
  readonly entityOf: (request: JsonObject) => JsonObject;
}

export interface CredentialDescription {
  /** The header that says who asks. */
  readonly header: string;
  /** What stands before the credential in it, such as `Bearer `; absent: nothing. */
  readonly prefix?: string;
  /** What the target calls it among its `credentials`. */
  readonly field: string;
  /** The variable of the environment that holds the one for a server that already runs. */
  readonly environment: string;
}

export interface KeyDescription {
  readonly header: string;
  /** How long a key is kept from its first request on. */
  readonly windowMs: number | 'forever';
  /** Said while an earlier request under the key is being worked on; absent: 409. */
  readonly inFlightStatus?: number;
  /** Said to another request under a known key; absent: 422. */
  readonly conflictStatus?: number;
  /** The header, `true`, of an answer that is replayed; absent: none says so. */
  readonly replayedHeader?: string;
}

export interface ListDescription {
  readonly path: string;
  /** The field that holds the entities; the empty text: the answer is the list itself. */
  readonly rows: string;
  readonly order: 'newest-first' | 'oldest-first';
  /** Fields of an entity that can be asked for by a query of the same name. */
  readonly filters?: readonly string[];
  /** Null: all of it in one answer. */
  readonly paging: Paging | null;
  /** How long it may miss what is there; absent: not at all. */
  readonly lagMs?: number;
}

export type Paging = (
  | { readonly by: 'page' | 'offset' }
  /** Behind the last entity of the page before, or by what the answer says under a field. */
  | { readonly by: 'cursor'; readonly next: 'last-id' | { readonly field: string } }
) & {
  /** The query that says where a page begins. */
  readonly query: string;
  readonly size: PageSize;
  /** The field that says whether more follow; absent: a page that is not full is the last. */
  readonly more?: string;
};

export interface PageSize {
  /** The query that asks for another; absent: nobody can. */
  readonly query?: string;
  readonly usual: number;
  readonly most: number;
}

export interface UndoDescription {
  readonly method: 'DELETE' | 'POST';
  /** With `{id}`. */
  readonly path: string;
  /** What an undone entity shows from then on; absent: it is no longer listed. */
  readonly marks?: { readonly field: string; readonly value: string | boolean };
}

export interface EntityDescription {
  readonly id: string;
  /** The field that says what it was done to. */
  readonly subject: string;
  /** The entity's field by the request's: what took effect, in the request's own words. */
  readonly substance: Readonly<Record<string, string>>;
}

export interface Statuses {
  readonly invalid: number;
  readonly unauthorized: number;
  readonly notFound: number;
  readonly tooMany: number;
}

export interface ServiceError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const usualStatuses: Statuses = { invalid: 400, unauthorized: 401, notFound: 404, tooMany: 429 };

export function statusesOf({ statuses }: ServiceDescription): Statuses {
  return { ...usualStatuses, ...statuses };
}

export function keyStatusesOf(key: KeyDescription): {
  readonly inFlight: number;
  readonly conflict: number;
} {
  return { inFlight: key.inFlightStatus ?? 409, conflict: key.conflictStatus ?? 422 };
}
