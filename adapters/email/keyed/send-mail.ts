/**
 * One mail, sent once. In: a client, the call it belongs to, a key as it is written and a checked mail. Out: what the
 * service provably did.
 *
 * The answer to a send is an id alone. An id that could be anybody's proves nothing, so the mail is read
 * back under it, and only what carries our stamp is ours.
 */
import { NoAnswerError, type SingleCall } from '../../single-send.ts';
import type { ApplyResult } from '../../target.ts';
import type { MailRequest } from '../request.ts';
import { classifyNoAnswer, classifyReading, classifySend } from './classify.ts';
import type { MailClient } from './client.ts';
import { keyHeader } from './key-header.ts';
import { stampedMail } from './mail-body.ts';

export interface Mailing {
  /** The decision key, as it is written. */
  readonly stamp: string;
  readonly mail: MailRequest;
}

export async function sendMail(
  client: MailClient,
  call: SingleCall,
  { stamp, mail }: Mailing,
): Promise<ApplyResult> {
  try {
    const sent = classifySend(
      await client.send(call, {
        method: 'POST',
        path: '/emails',
        headers: keyHeader(stamp),
        body: stampedMail(mail, stamp),
      }),
    );
    if (sent.kind !== 'accepted') return sent;
    const path = `/emails/${encodeURIComponent(sent.id)}`;
    return classifyReading(await client.send(call, { method: 'GET', path }), sent.id);
  } catch (error) {
    if (error instanceof NoAnswerError) return classifyNoAnswer(error);
    throw error;
  }
}
