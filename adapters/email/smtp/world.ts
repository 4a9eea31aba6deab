/**
 * What people do while the subject is not looking: they send mails with a client of their own. In: an
 * event, their login, and the request of a trial. Out: a mail that the server has taken over.
 */
import { createTransport } from 'nodemailer';
import type { RailWorldEvent } from '../../rail.ts';
import type { Endpoint, JsonObject } from '../../target.ts';
import { type MailRequest, parseMailRequest, referenceHeader } from '../request.ts';
import type { Credentials } from './configuration.ts';

export interface MailScene {
  readonly endpoint: Endpoint;
  readonly login: Credentials;
  readonly request: JsonObject;
}

export async function changeWorld(event: RailWorldEvent, scene: MailScene): Promise<void> {
  const mail = parseMailRequest(scene.request);
  switch (event) {
    case 'done-by-hand':
      return sendByHand(scene, mail);
    case 'unrelated-change':
      return sendByHand(scene, {
        ...mail,
        recipient: 'somebody-else@mail.example',
        reference: `${mail.reference}-other`,
      });
    default:
      throw new Error(
        `Mail rail: expected an event that people can make with mail; came ${event}. A mail that was sent can't be taken back, and no premise of one is read.`,
      );
  }
}

/** The mail of theirs has a Message-ID of its own. */
async function sendByHand({ endpoint, login }: MailScene, mail: MailRequest): Promise<void> {
  const { host, port } = endpoint;
  const { recipient, reference, from, subject, text } = mail;
  const transport = createTransport({ host, port, ignoreTLS: true, auth: { ...login } });
  try {
    const headers = { [referenceHeader]: reference };
    await transport.sendMail({ to: recipient, from, subject, text, headers });
  } finally {
    transport.close();
  }
}
