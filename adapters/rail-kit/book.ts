/**
 * The entities of one account. In: what was asked for, and by whom. Out: entities as the service shows
 * them, and the journal, in which what was undone stays.
 */
import type { JournalEffect } from '../rail.ts';
import type { JsonObject, JsonValue } from '../target.ts';
import type { ServiceDescription } from './description.ts';
import { fieldAt, withField } from './fields.ts';

export type Actor = JournalEffect['actor'];

export interface Entity {
  readonly id: string;
  readonly actor: Actor;
  readonly atMs: number;
  /** On the monotonic clock: moving the account's clock ages nothing. */
  readonly landedMs: number;
  /** As it was asked for, stamp included, with its id. */
  shown: JsonObject;
  isUndone: boolean;
  isListed: boolean;
}

export interface Making {
  readonly actor: Actor;
  readonly nowMs: number;
  readonly landedMs: number;
}

export class EntityBook {
  readonly #description: ServiceDescription;
  readonly #idPrefix: string;
  /** In the order in which they are listed, oldest first. */
  #entities: readonly Entity[] = [];
  #made = 0;

  /** `idPrefix` keeps the entities of several accounts apart. */
  constructor(description: ServiceDescription, idPrefix: string) {
    this.#description = description;
    this.#idPrefix = idPrefix;
  }

  /** `before`: it is listed as older than that one, which can be what other people did meanwhile. */
  make(asked: JsonObject, by: Making, before?: Entity): Entity {
    this.#made += 1;
    const id = `${this.#idPrefix}${String(this.#made).padStart(6, '0')}`;
    const shown = withField(asked, this.#description.entity.id, id);
    const entity: Entity = { ...by, atMs: by.nowMs, id, shown, isUndone: false, isListed: true };
    const at = before === undefined ? -1 : this.#entities.indexOf(before);
    this.#entities =
      at === -1
        ? [...this.#entities, entity]
        : [...this.#entities.slice(0, at), entity, ...this.#entities.slice(at)];
    return entity;
  }

  find(id: string): Entity | undefined {
    return this.#entities.find((entity) => entity.id === id);
  }

  /** Oldest first, undone ones too where they are still listed. */
  listed(): readonly Entity[] {
    return this.#entities.filter(({ isListed }) => isListed);
  }

  undo(entity: Entity): void {
    const { marks } = this.#description.undo ?? {};
    entity.isUndone = true;
    if (marks === undefined) entity.isListed = false;
    else entity.shown = withField(entity.shown, marks.field, marks.value);
  }

  journal(): readonly JournalEffect[] {
    return [...this.#entities]
      .sort((one, other) => one.landedMs - other.landedMs)
      .map(({ shown, actor, atMs }) => readEffect(this.#description, shown, { actor, atMs }));
  }
}

/** An entity as the journal has it. */
export function readEffect(
  { stamp, entity }: ServiceDescription,
  shown: JsonObject,
  made: Pick<JournalEffect, 'actor' | 'atMs'>,
): JournalEffect {
  const marker = stamp === null ? null : (fieldAt(shown, stamp) ?? null);
  return {
    ...made,
    entityId: textOf(fieldAt(shown, entity.id)),
    stamp: marker === null ? null : textOf(marker),
    subject: textOf(fieldAt(shown, entity.subject)),
    substance: Object.fromEntries(
      Object.entries(entity.substance).map(([name, path]) => [name, fieldAt(shown, path) ?? null]),
    ),
  };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
