/**
 * What people do at a described service while the subject is not looking. In: an event, the request of
 * the trial and a way to ask the service as a person. Out: the service, changed. Throws where there is
 * nothing to do it to.
 */
import type { RailWorldEvent } from '../rail.ts';
import type { JsonObject } from '../target.ts';
import type { ServedAnswer } from '../whole-request-server.ts';
import type { EntityBook } from './book.ts';
import type { ServiceDescription } from './description.ts';
import { withField, withoutFields } from './fields.ts';
import { fillPath, namesIn } from './paths.ts';

/** What can be done with no more than the description; an undoing has to be described. */
export function worldEventsOf({ undo }: ServiceDescription): readonly RailWorldEvent[] {
  return [
    'done-by-hand',
    ...(undo === undefined ? [] : (['undone-by-hand'] as const)),
    'unrelated-change',
    'rail-restarted',
  ];
}

export interface KitScene {
  readonly description: ServiceDescription;
  readonly book: EntityBook;
  readonly request: JsonObject;
  /** As a person. */
  ask(asked: {
    readonly method: string;
    readonly path: string;
    readonly body: string;
  }): Promise<ServedAnswer>;
}

export async function changeWorld(event: RailWorldEvent, scene: KitScene): Promise<void> {
  const { description, request } = scene;
  const { entityOf, entity } = description;
  switch (event) {
    case 'done-by-hand':
      return create(scene, entityOf(request));
    case 'undone-by-hand':
      return undoOurs(scene);
    case 'unrelated-change': {
      const asked = entityOf(request);
      return create(scene, withField(asked, entity.subject, 'something-else'));
    }
    default:
      throw new Error(
        `${description.name} rail: expected one of the events ${worldEventsOf(description).join(', ')}; came ${event}. The description says of no other how people do it.`,
      );
  }
}

/** People have no stamp of ours and send no key. */
function create(scene: KitScene, asked: JsonObject): Promise<void> {
  const { path, method = 'POST' } = scene.description.create;
  const body = JSON.stringify(withoutFields(asked, namesIn(path)));
  return act(scene, { method, path: fillPath(path, asked), body });
}

async function undoOurs(scene: KitScene): Promise<void> {
  const { description, book } = scene;
  const { undo, name } = description;
  const ours = book.listed().findLast(({ actor, isUndone }) => actor === 'subject' && !isUndone);
  if (undo === undefined || ours === undefined) {
    throw new Error(
      `${name} rail: undone-by-hand needs an effect of the subject's that stands, and an undo in the description; one of them is missing. Let the subject make one first.`,
    );
  }
  const path = fillPath(undo.path, { ...ours.shown, id: ours.id });
  return act(scene, { method: undo.method, path, body: '' });
}

async function act(scene: KitScene, asked: Parameters<KitScene['ask']>[0]): Promise<void> {
  const { status, body } = await scene.ask(asked);
  if (status < 300) return;
  throw new Error(
    `${scene.description.name} rail: a person could not ${asked.method} ${asked.path}: ${body}. Take one of the examples.`,
  );
}
