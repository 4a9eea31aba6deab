/**
 * What people do at the mail service while the subject is not looking. In: the request of a trial and a
 * way to ask the service as a person. Out: another mail there. Throws where it was not accepted.
 */
import type { RailWorldEvent } from '../../rail.ts';
import type { JsonObject } from '../../target.ts';
import type { ServedAnswer } from '../../whole-request-server.ts';
import { type MailRequest, parseMailRequest } from '../request.ts';
import { mailFields } from './mail-body.ts';

/** What changes a premise is missing: a mail relies on nothing that the service knows. Nor can one be undone. */
export const mailWorldEvents = [
  'done-by-hand',
  'unrelated-change',
  'rail-restarted',
] as const satisfies readonly RailWorldEvent[];
type MailWorldEvent = (typeof mailWorldEvents)[number];

export interface MailScene {
  readonly request: JsonObject;
  /** Sends a mail as a person, without a key. */
  send(body: JsonObject): Promise<ServedAnswer>;
}

export function isMailWorldEvent(event: RailWorldEvent): event is MailWorldEvent {
  return mailWorldEvents.some((known) => known === event);
}

export async function changeWorld(
  event: Exclude<MailWorldEvent, 'rail-restarted'>,
  scene: MailScene,
): Promise<void> {
  const mail = parseMailRequest(scene.request);
  switch (event) {
    case 'done-by-hand':
      return send(scene, mail);
    case 'unrelated-change':
      await send(scene, { ...mail, recipient: `other-${mail.recipient}` });
      return send(scene, { ...mail, reference: `other-${mail.reference}` });
    default:
      throw new Error(`Mail rail: unknown event of the world: ${event satisfies never}`);
  }
}

/** People have no stamp of ours. */
async function send(scene: MailScene, mail: MailRequest): Promise<void> {
  const { status, body } = await scene.send(mailFields(mail));
  if (status === 200) return;
  throw new Error(
    `Mail rail: a person could not send to ${mail.recipient}: ${body}. Take one of the rail's examples.`,
  );
}
