/**
 * The two descriptors of the subject protocol as the harness sees them: messages out on 3, lines in
 * on 4. A line is checked against its schema before anybody believes it. Too long a line, or too much
 * in all, ends the listening: a subject that floods is left to block on its own pipe.
 */
import type { Readable, Writable } from 'node:stream';
import type { z } from 'zod';
import type { JsonObject } from '../../adapters/target.ts';
import type { HarnessMessage } from '../../gate/protocol.ts';
import { subjectMessageSchema } from '../model/protocol.ts';

export const lineLimitBytes = 1024 * 1024;
export const channelLimitBytes = 16 * 1024 * 1024;

/** A message that its schema has accepted. */
export type HeardMessage = z.infer<typeof subjectMessageSchema>;

export interface Listener {
  readonly message: (message: HeardMessage) => void;
  /** A line that is no message; `why` says what was wrong with it. */
  readonly nonsense: (line: string, why: string) => void;
  readonly flood: (detail: string) => void;
}

/** Reads the subject's lines until it floods or ends. */
export function listenToSubject(stream: Readable, listener: Listener): void {
  let parts: Buffer[] = [];
  let lineBytes = 0;
  let totalBytes = 0;
  const flood = (detail: string): void => {
    stream.off('data', onData);
    stream.pause();
    listener.flood(detail);
  };
  const onData = (chunk: Buffer): void => {
    totalBytes += chunk.length;
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      if (lineBytes + at - from > lineLimitBytes) break;
      parts.push(chunk.subarray(from, at));
      from = at + 1;
      const line = Buffer.concat(parts).toString('utf8');
      parts = [];
      lineBytes = 0;
      hear(line, listener);
    }
    parts.push(chunk.subarray(from));
    lineBytes += chunk.length - from;
    if (lineBytes > lineLimitBytes) flood(`a line of more than ${lineLimitBytes} bytes`);
    else if (totalBytes > channelLimitBytes) flood(`more than ${channelLimitBytes} bytes in all`);
  };
  stream.on('data', onData);
  stream.on('error', () => {
    // Ends like a closed pipe; the exit is what counts.
  });
}

function hear(line: string, listener: Listener): void {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    listener.nonsense(line, 'no JSON');
    return;
  }
  const parsed = subjectMessageSchema.safeParse(value);
  if (parsed.success) {
    listener.message(parsed.data);
    return;
  }
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') || 'the message';
  listener.nonsense(line, `no message of the protocol (${where}: ${issue?.message ?? 'invalid'})`);
}

/** Writes one line. A subject that is gone or does not read is not the writer's concern. */
export function sendMessage(stream: Writable, message: HarnessMessage): void {
  if (stream.writable) stream.write(`${JSON.stringify(message)}\n`);
}

/** The message as it may stand in a history: without credentials, and without the token wherever it occurs. */
export function withoutSecrets(message: HarnessMessage, token: string): JsonObject {
  const open =
    message.type === 'start'
      ? { ...message, target: { ...message.target, credentials: {} } }
      : message;
  return JSON.parse(JSON.stringify(open).replaceAll(token, '[token]'));
}

/** What the subject said as it may stand in a history, should it repeat its token. */
export function withoutToken(message: HeardMessage, token: string): HeardMessage {
  const text = JSON.stringify(message);
  return text.includes(token) ? JSON.parse(text.replaceAll(token, '[token]')) : message;
}

/** The start of a line as it may stand in a history. */
export function excerpt(line: string, secrets: readonly string[]): string {
  let text = line.slice(0, 4096);
  for (const secret of secrets) text = text.replaceAll(secret, '[secret]');
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

/** Every string of a credential that is long enough to give something away. */
export function secretsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.length >= 4 ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(secretsIn);
}
