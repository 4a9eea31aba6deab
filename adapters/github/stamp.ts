/**
 * How an effect carries our stamp, and how it is read: a trailer in the message of a merge's commit,
 * a hidden line at the end of a comment. GitHub shows the first as text and the second not at all.
 */

/** What both forms can hold on one line; a gate's own keys are 64 hexadecimal digits. */
const stampable = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** Why a key can't be a stamp, or null. */
export function whyNotStampable(key: string): string | null {
  if (stampable.test(key) && !key.includes('-->')) return null;
  return 'a key is 1 to 255 characters of printable ASCII on one line, without blanks at its ends and without -->';
}

export function trailerOf(key: string): string {
  return `Effect-Id: ${key}`;
}

/**
 * The stamp a commit's message carries: ours when any of its trailers is ours, otherwise its last,
 * null when it has none. A squash can carry those of commits it was made of, and GitHub may put
 * trailers of its own after ours.
 */
export function stampOfMessage(message: string, key: string): string | null {
  const stamps = [...message.matchAll(/^Effect-Id: ?(.*?)\s*$/gm)].map(([, stamp]) => stamp ?? '');
  return stamps.includes(key) ? key : (stamps.at(-1) ?? null);
}

export function bodyWithStamp(body: string, key: string): string {
  return `${body}\n\n<!-- effect-id: ${key} -->`;
}

/** The stamp at a comment's very end; one that is quoted further up is somebody else's text. */
export function stampOfBody(body: string): string | null {
  return /^<!-- effect-id: (.*) -->\s*$(?![\s\S])/m.exec(body)?.[1] ?? null;
}
