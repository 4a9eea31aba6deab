/**
 * SMTP (RFC 5321) as the wire needs it. A connection is a session: whom a message is from and to was
 * said before it, and the server speaks first on it. After STARTTLS nothing can be framed.
 */
import type { Conversation, ReplyFraming, RequestFraming } from './conversation.ts';
import { MailDialogue } from './smtp-dialogue.ts';
import { SmtpReplies } from './smtp-replies.ts';
import { SmtpRequests } from './smtp-requests.ts';

export class SmtpConversation implements Conversation {
  readonly requests: RequestFraming;
  readonly isSession = true;
  readonly serviceSpeaksFirst = true;
  readonly #replies: SmtpReplies;

  constructor() {
    const dialogue = new MailDialogue();
    this.requests = new SmtpRequests(dialogue);
    this.#replies = new SmtpReplies(dialogue);
  }

  openReplies(): ReplyFraming {
    return this.#replies;
  }

  answer(): never {
    throw new Error('every reply of a mail server is its definite word; plan none in its place');
  }

  cutReply(reply: Buffer): Buffer {
    return reply.subarray(0, Math.floor(reply.length / 2));
  }

  foreignReply(): never {
    throw new Error('an SMTP session has no reply but its own; plan no foreign one');
  }
}
