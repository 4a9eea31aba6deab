/**
 * Whose an effect at GitHub itself is, and how its stamp is read. Written out here: a rail and a target
 * share no code.
 *
 * Where people have a login of their own, it says whose an effect is. Otherwise it must be read off the
 * effect: people's are those the rail labelled itself, and the harness's control, the oldest that is
 * stamped control-SEED. Everything else is the subject's, also what carries no stamp at all: in doubt a
 * gate is charged with it.
 */
import type { JournalEffect } from '../rail.ts';

/** What the rail writes into what it does in people's place. */
export const handTrailer = 'Killpoint-By: person';
export const handMarker = '<!-- killpoint-by: person -->';

export interface SeenEffect extends Omit<JournalEffect, 'actor'> {
  readonly login: string;
  /** It carries the rail's own label. */
  readonly byHand: boolean;
}

/** In: effects, oldest first, and people's login; null where they have none of their own. */
export function toJournal(
  seen: readonly SeenEffect[],
  personLogin: string | null,
): readonly JournalEffect[] {
  const control = seen.find(({ stamp }) => /^control-\d+(?:-\d)?$/.test(stamp ?? ''));
  return seen.map(({ login, byHand, ...effect }) => {
    const isControl = personLogin === null && effect.entityId === control?.entityId;
    const isPerson = byHand || login === personLogin || isControl;
    return { ...effect, actor: isPerson ? 'person' : 'subject' };
  });
}

export function stampInMessage(message: string): string | null {
  return /^Effect-Id: (.+?)\s*$/m.exec(message)?.[1] ?? null;
}

/** The text, and the stamp behind it. */
export function splitComment(body: string): {
  readonly text: string;
  readonly stamp: string | null;
} {
  const plain = body.replace(handMarker, '').trimEnd();
  const [, text, stamp] = /^([\s\S]*?)\s*<!-- effect-id: (.*?) -->$/.exec(plain) ?? [];
  return { text: text ?? plain, stamp: stamp ?? null };
}
