/**
 * PostgreSQL's frontend/backend protocol 3 as the wire needs it. A connection is a session: its
 * transaction block lives on the server's side of it and ends with it.
 */
import type {
  Conversation,
  FramedRequest,
  ReplyFraming,
  RequestFraming,
  WireAnswer,
} from './conversation.ts';
import { PostgresReplies } from './postgres-replies.ts';
import { PostgresRequests } from './postgres-requests.ts';
import { TransactionBlock } from './postgres-transaction.ts';

export class PostgresConversation implements Conversation {
  readonly requests: RequestFraming;
  readonly isSession = true;
  readonly serviceSpeaksFirst = false;
  readonly #replies: PostgresReplies;

  constructor() {
    const block = new TransactionBlock();
    this.#replies = new PostgresReplies((status) => block.ready(status));
    this.requests = new PostgresRequests(block, () => this.#replies.negotiating());
  }

  openReplies(): ReplyFraming {
    return this.#replies;
  }

  /** What a pooler in front of the server says when it ends a client's connection. */
  answer(_request: FramedRequest, { status }: WireAnswer): { bytes: Buffer; ends: boolean } {
    const said = sayings[status];
    if (said === undefined) throw new Error(`Postgres has no words for a status of ${status}`);
    return { bytes: fatalError(said.code, said.message), ends: true };
  }

  cutReply(reply: Buffer): Buffer {
    return reply.subarray(0, Math.floor(reply.length / 2));
  }

  foreignReply(): never {
    throw new Error('a Postgres session has no reply but its own; plan no foreign one');
  }
}

/** SQLSTATEs of Postgres's appendix A: admin_shutdown and connection_failure. */
const sayings: Readonly<Record<number, { readonly code: string; readonly message: string }>> = {
  503: { code: '57P01', message: 'terminating connection due to administrator command' },
  504: { code: '08006', message: 'server connection was lost before the statement was answered' },
};

function fatalError(code: string, message: string): Buffer {
  const fields = [`SFATAL`, `VFATAL`, `C${code}`, `M${message}`].map((field) => `${field}\0`);
  const body = Buffer.from(`${fields.join('')}\0`);
  const head = Buffer.alloc(5);
  head.write('E', 'latin1');
  head.writeUInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}
