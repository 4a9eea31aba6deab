/**
 * The mail this service can be asked for. In: the JSON of a request. Out: a checked mail or an
 * InvalidRequestError. Whoever stands in the service's `to` gets the mail, so that a header which shows
 * others than the recipient can't be had here.
 */
import { InvalidRequestError, type JsonObject } from '../../target.ts';
import { type MailRequest, parseMailRequest } from '../request.ts';

export function parseKeyedRequest(request: JsonObject): MailRequest {
  const mail = parseMailRequest(request);
  if (mail.to.every((shown) => shown === mail.recipient)) return mail;
  throw new InvalidRequestError(
    `Request to send: to must show the recipient alone at this service; came ${JSON.stringify(mail.to).slice(0, 200)}. Everybody in it would get a mail with each request: leave it out, or send by SMTP.`,
  );
}
