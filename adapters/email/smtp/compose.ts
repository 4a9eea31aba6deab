/** A mail as bytes. In: a checked request, its key and the time. Out: the message as it is sent. */
import MailComposer from 'nodemailer/lib/mail-composer';
import { type MailRequest, messageIdOf, referenceHeader } from '../request.ts';

export function composeMessage(
  mail: MailRequest,
  { key, nowMs }: { readonly key: string; readonly nowMs: number },
): Promise<Buffer> {
  const { from, to, subject, text, reference } = mail;
  const composer = new MailComposer({
    from,
    to: [...to],
    subject,
    text,
    date: new Date(nowMs),
    messageId: messageIdOf(key, mail),
    headers: { [referenceHeader]: reference },
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}
