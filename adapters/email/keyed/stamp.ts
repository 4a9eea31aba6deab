/**
 * How a decision key travels. As a tag, because the service shows the tags of a mail to whoever asks for it
 * by its id; as a header as well, because that is what arrives in the mailbox. A tag holds ASCII letters,
 * digits, underscores and dashes alone, so that every other byte of a key, and `_`, is written as `_XX`.
 */
import { isRecord } from '../../json-reply.ts';

export const stampTag = 'effect-id';
export const stampHeader = 'X-Entity-Ref-ID';

/** Of a tag, and of an idempotency key. */
const mostCharacters = 256;

/** Null where the key is empty, or longer than the service takes it. */
export function writeStamp(key: string): string | null {
  const written = [...Buffer.from(key, 'utf8')].map(writeByte).join('');
  return written !== '' && written.length <= mostCharacters ? written : null;
}

/** The key in our tag; null where there is none, more than one, or one that is not ours. */
export function stampOfTags(tags: unknown): string | null {
  if (!Array.isArray(tags)) return null;
  const [ours, ...others] = tags.filter((tag) => isRecord(tag) && tag.name === stampTag);
  if (!isRecord(ours) || typeof ours.value !== 'string' || others.length > 0) return null;
  return readStamp(ours.value);
}

function readStamp(written: string): string | null {
  if (!/^(?:[A-Za-z0-9-]|_[0-9A-F]{2})+$/.test(written)) return null;
  try {
    return decodeURIComponent(written.replaceAll('_', '%'));
  } catch {
    return null;
  }
}

function writeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (/[A-Za-z0-9-]/.test(character)) return character;
  return `_${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}
