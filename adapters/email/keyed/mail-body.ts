/** The mail as `POST /emails` takes it. The same mail under the same key is the same text, byte for byte. */
import type { JsonObject } from '../../target.ts';
import { type MailRequest, referenceHeader } from '../request.ts';
import { stampHeader, stampTag } from './stamp.ts';

/** As anybody would send it. */
export function mailFields({ from, recipient, subject, text, reference }: MailRequest) {
  return {
    from,
    to: [recipient],
    subject,
    text,
    headers: { [referenceHeader]: reference },
  } satisfies JsonObject;
}

export function stampedMail(mail: MailRequest, stamp: string): JsonObject {
  const { headers, ...fields } = mailFields(mail);
  return {
    ...fields,
    headers: { ...headers, [stampHeader]: stamp },
    tags: [{ name: stampTag, value: stamp }],
  };
}
