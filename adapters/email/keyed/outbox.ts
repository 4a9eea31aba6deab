/** The mails a team's service has accepted for delivery. In: one at a time. Out: what is there, and the journal. */
import { randomUUID } from 'node:crypto';
import type { JournalEffect } from '../../rail.ts';
import { mailboxOf } from '../address.ts';
import { referenceHeader } from '../request.ts';
import type { AcceptedMail, MailMessage } from './accepted-mail.ts';
import { stampOfTags } from './stamp.ts';

export class Outbox {
  readonly #mails: AcceptedMail[] = [];

  accept(message: MailMessage, by: Pick<AcceptedMail, 'actor' | 'atMs'>): AcceptedMail {
    const id = randomUUID();
    const mail = { id, messageId: `<${id}@service.example>`, message, ...by };
    this.#mails.push(mail);
    return mail;
  }

  find(id: string): AcceptedMail | undefined {
    return this.#mails.find((mail) => mail.id === id);
  }

  journal(): readonly JournalEffect[] {
    return this.#mails.map(toEffect);
  }
}

function toEffect({ id, message, actor, atMs }: AcceptedMail): JournalEffect {
  const { from, to, subject, text, headers, tags } = message;
  const reference = headers[referenceHeader] ?? null;
  return {
    entityId: id,
    stamp: stampOfTags(tags),
    actor,
    subject: `${to.map(mailboxOf).join(',')}/${reference ?? ''}`,
    substance: { recipient: to.join(','), reference, from, subject, text },
    atMs,
  };
}
