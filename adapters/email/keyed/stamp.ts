/**
 * Where a decision key travels. As a tag, because the service shows the tags of a mail to whoever asks for
 * it by its id; as a header as well, because that is what arrives in the mailbox.
 */
import { isRecord } from '../../json-reply.ts';

export const stampTag = 'effect-id';
export const stampHeader = 'X-Entity-Ref-ID';

/** The value of our tag; null where there is none, or more than one. */
export function stampOfTags(tags: unknown): string | null {
  if (!Array.isArray(tags)) return null;
  const [ours, ...others] = tags.filter((tag) => isRecord(tag) && tag.name === stampTag);
  const isOne = isRecord(ours) && typeof ours.value === 'string' && others.length === 0;
  return isOne ? String(ours.value) : null;
}
