/**
 * One message to several people is several decisions: a server may accept one recipient and refuse
 * another, and each of them must come to an end of its own. In: a message. Out: one request for each
 * recipient, to be submitted one by one; every one of them shows all recipients in its To header.
 */

import { InvalidRequestError, type JsonObject } from '../target.ts';
import { mailboxOf } from './address.ts';
import { parseMailRequest } from './request.ts';

export interface SharedMessage {
  readonly recipients: readonly string[];
  readonly reference: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  /** The approval that makes this a decision of its own. */
  readonly distinct?: string;
}

/** Throws InvalidRequestError where one of the requests could not be carried out, before any is made. */
export function perRecipient(message: SharedMessage): readonly JsonObject[] {
  const { recipients, ...shared } = message;
  refuseRepeated(recipients);
  return recipients.map((recipient) => {
    const request = { operation: 'send', ...shared, recipient, to: recipients };
    parseMailRequest(request);
    return request;
  });
}

/** Two requests to one mailbox are one decision, so the second would send nothing. */
function refuseRepeated(recipients: readonly string[]): void {
  const mailboxes = new Set(recipients.map(mailboxOf));
  if (recipients.length > 0 && mailboxes.size === recipients.length) return;
  throw new InvalidRequestError(
    `Message to several: recipients must be at least one address, each once; came ${JSON.stringify(recipients).slice(0, 200)}. Remove what is there twice.`,
  );
}
