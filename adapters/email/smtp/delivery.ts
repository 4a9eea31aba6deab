/**
 * What a mail server has taken over. In: the bytes of a message, as they came, and its envelope. Out:
 * one entry of the journal for each recipient. Whom a mail went to is the envelope's word; the headers
 * may say what they like.
 */
import { simpleParser } from 'mailparser';
import type { JournalEffect } from '../../rail.ts';
import { referenceHeader, stampOf } from '../request.ts';

export interface Received {
  readonly bytes: Buffer;
  readonly recipients: readonly string[];
  readonly actor: JournalEffect['actor'];
}

export type Delivery = Omit<JournalEffect, 'entityId' | 'atMs'>;

export async function readDeliveries(received: Received): Promise<readonly Delivery[]> {
  const { bytes, recipients, actor } = received;
  const mail = await simpleParser(bytes, { skipTextToHtml: true });
  const reference = headerOf(mail.headers.get(referenceHeader.toLowerCase()));
  const substance = {
    reference,
    from: mail.from?.value[0]?.address ?? '',
    subject: mail.subject ?? '',
    // SMTP ends every line, the last one too.
    text: (mail.text ?? '').replace(/\n$/, ''),
  };
  const stamp = stampOf(mail.messageId);
  return recipients.map((recipient) => ({
    stamp,
    actor,
    subject: `${recipient}/${reference}`,
    substance: { recipient, ...substance },
  }));
}

function headerOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
