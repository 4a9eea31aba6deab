/**
 * HTTP/1.1 as the wire needs it. Requests go on as they came; only for a service behind TLS, which is
 * known by its name, the Host header, in which the subject names the wire, is made to name the service.
 */
import { STATUS_CODES } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Endpoint } from '../../adapters/target.ts';
import type {
  Conversation,
  FramedRequest,
  ReplyFraming,
  ReplyStep,
  RequestFraming,
  RequestStep,
  WireAnswer,
} from './conversation.ts';
import {
  type ReplyStep as HttpReplyStep,
  type RequestStep as HttpRequestStep,
  ReplyFramer,
  RequestFramer,
} from './http-framing.ts';
import { renameHost } from './http-head.ts';

export class HttpConversation implements Conversation {
  readonly requests: RequestFraming;
  readonly isSession = false;
  readonly serviceSpeaksFirst = false;

  constructor(service: Endpoint) {
    this.requests = new HttpRequests(service.protocol === 'https' ? authorityOf(service) : null);
  }

  openReplies(): ReplyFraming {
    return new HttpReplies();
  }

  answer(request: FramedRequest, { status, body }: WireAnswer): { bytes: Buffer; ends: boolean } {
    const reason = STATUS_CODES[status] ?? 'Unknown';
    const head = `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
    return { bytes: Buffer.from(request.method === 'HEAD' ? head : head + body), ends: false };
  }

  /** The head and half of the body: the reader knows that something is missing. */
  cutReply(reply: Buffer): Buffer {
    const bodyAt = reply.indexOf('\r\n\r\n') + 4;
    return reply.subarray(0, bodyAt + Math.floor((reply.length - bodyAt) / 2));
  }

  foreignReply(raw: Buffer): Buffer {
    return raw;
  }
}

class HttpRequests implements RequestFraming {
  readonly #framer = new RequestFramer();
  readonly #host: string | null;

  /** `host`: what the Host header is to say; null leaves it as it came. */
  constructor(host: string | null) {
    this.#host = host;
  }

  get midway(): boolean {
    return this.#framer.midway;
  }

  push(chunk: Buffer): readonly RequestStep[] {
    return this.#framer.push(chunk).map((step) => this.#translate(step));
  }

  #translate(step: HttpRequestStep): RequestStep {
    switch (step.kind) {
      case 'awaits-continue':
        return { kind: 'awaits', goAhead: Buffer.from('HTTP/1.1 100 Continue\r\n\r\n') };
      case 'not-http':
        return { kind: 'opaque', bytes: step.bytes };
      case 'whole':
        return this.#host === null
          ? step
          : { kind: 'whole', request: named(step.request, this.#host) };
      default:
        return step;
    }
  }
}

class HttpReplies implements ReplyFraming {
  #framer: ReplyFramer | null = null;
  #opaque = false;

  expect(request: FramedRequest): void {
    this.#framer = new ReplyFramer(request.method);
  }

  /** Bytes nobody asked for belong to no request; the service closes after them. */
  push(chunk: Buffer): readonly ReplyStep[] {
    if (this.#opaque) return [{ kind: 'opaque', bytes: chunk }];
    return (this.#framer?.push(chunk) ?? []).map((step) => this.#translate(step));
  }

  end(): ReplyStep | null {
    const last = this.#framer?.end() ?? null;
    return last === null ? null : this.#translate(last);
  }

  #translate(step: HttpReplyStep): ReplyStep {
    if (step.kind === 'not-http') {
      this.#opaque = true;
      return { kind: 'opaque', bytes: step.bytes };
    }
    if (step.kind === 'part' && step.whole) this.#framer = null;
    return step;
  }
}

function named(request: FramedRequest, host: string): FramedRequest {
  const [head, ...body] = request.raw;
  return head === undefined ? request : { ...request, raw: [renameHost(head, host), ...body] };
}

/** The host of a URL for the service (RFC 9110, section 7.2): its port only where it is not the usual one. */
function authorityOf({ host, port }: Endpoint): string {
  const name = isIPv6(host) ? `[${host}]` : host;
  return port === 443 ? name : `${name}:${port}`;
}
