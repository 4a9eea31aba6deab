/**
 * What people do at a ledger while the subject is not looking. In: the ledger, a way to ask it as a
 * person, and the request of a trial, which names account and reference. Out: the ledger, changed.
 * Throws where there is nothing to do it to.
 */
import type { RailWorldEvent } from '../rail.ts';
import type { JsonObject } from '../target.ts';
import type { ServedAnswer } from '../whole-request-server.ts';
import { isReversed, type LedgerBook, type Reference } from './ledger-book.ts';

export interface LedgerScene {
  readonly book: LedgerBook;
  readonly request: JsonObject;
  /** With the person's token. */
  ask(method: 'POST' | 'PUT', path: string, body: JsonObject): Promise<ServedAnswer>;
}

const raisedByMinor = 100;

export async function changeWorld(
  event: Exclude<RailWorldEvent, 'rail-restarted'>,
  scene: LedgerScene,
): Promise<void> {
  const { book } = scene;
  const place = placeOf(scene);
  const limitMinor = book.limitOf(place.account);
  switch (event) {
    case 'done-by-hand':
      return post(scene, place);
    case 'undone-by-hand':
      return reverseOurs(scene, place);
    case 'premise-changed':
      return setLimit(scene, place.account, limitMinor + raisedByMinor);
    case 'premise-changed-and-back':
      await setLimit(scene, place.account, limitMinor + raisedByMinor);
      return setLimit(scene, place.account, limitMinor);
    case 'unrelated-change': {
      const otherAccount = `${place.account}_other`;
      await post(scene, { ...place, reference: `${place.reference}_other` });
      await post(scene, { ...place, account: otherAccount });
      return setLimit(scene, otherAccount, book.limitOf(otherAccount) + raisedByMinor);
    }
    default:
      throw new Error(`Ledger rail: unknown event of the world: ${event satisfies never}`);
  }
}

function placeOf({ request }: LedgerScene): Reference {
  const { account, reference } = request;
  if (typeof account === 'string' && typeof reference === 'string') return { account, reference };
  throw new Error(
    `Ledger rail: expected a request about an account and a reference; came ${JSON.stringify(request)}. Take one of its examples.`,
  );
}

/** People have no stamp of ours: their entries are under ids of their own. */
function post(scene: LedgerScene, place: Reference): Promise<void> {
  const { amountMinor = null, currency = null } = scene.request;
  const id = `by-hand-${scene.book.entries().length + 1}`;
  return act(scene, 'POST', '/entries', { ...place, id, amountMinor, currency });
}

function reverseOurs(scene: LedgerScene, place: Reference): Promise<void> {
  const ours = scene.book
    .entriesOf(place)
    .findLast((entry) => entry.actor === 'subject' && !isReversed(entry));
  if (ours === undefined) {
    throw new Error(
      `Ledger rail: undone-by-hand needs an entry of the subject's under ${place.account}/${place.reference} that stands; there is none. Let the subject post one first.`,
    );
  }
  return act(scene, 'POST', '/reversals', { entry: ours.entry });
}

function setLimit(scene: LedgerScene, account: string, limitMinor: number): Promise<void> {
  return act(scene, 'PUT', `/accounts/${encodeURIComponent(account)}`, { limitMinor });
}

async function act(
  scene: LedgerScene,
  method: 'POST' | 'PUT',
  path: string,
  body: JsonObject,
): Promise<void> {
  const { status, body: said } = await scene.ask(method, path, body);
  if (status >= 300) {
    throw new Error(
      `Ledger rail: a person could not ${method} ${path}: ${said}. Take one of the ledger's examples.`,
    );
  }
}
