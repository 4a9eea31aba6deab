/**
 * What the service says: a status and a body, an error as `{ statusCode, name, message }`. Names,
 * statuses and words are Resend's own where its page of errors has them; the README says which are not.
 */
import type { ServedAnswer } from '../../whole-request-server.ts';
import type { AcceptedMail } from './accepted-mail.ts';

export function answerAccepted({ id }: AcceptedMail): ServedAnswer {
  return answerJson(200, { id });
}

export function answerMail({ id, messageId, message, atMs }: AcceptedMail): ServedAnswer {
  const { from, to, subject, text, html, tags } = message;
  return answerJson(200, {
    object: 'email',
    id,
    message_id: messageId,
    to,
    from,
    created_at: new Date(atMs).toISOString(),
    subject,
    html,
    text,
    bcc: [],
    cc: [],
    reply_to: [],
    last_event: 'sent',
    scheduled_at: null,
    tags,
  });
}

export function answerError(
  statusCode: number,
  name: string,
  message: string,
  headers: ServedAnswer['headers'] = {},
): ServedAnswer {
  return answerJson(statusCode, { statusCode, name, message }, headers);
}

export function answerInvalidKey(): ServedAnswer {
  const message = 'Idempotency keys, if present, must have between 1 and 256 characters.';
  return answerError(400, 'invalid_idempotency_key', message);
}

export function answerNoJson(): ServedAnswer {
  const message = 'An error was found with one or more fields in the request.';
  return answerError(400, 'validation_error', message);
}

export function answerMissingApiKey(): ServedAnswer {
  const message = 'Missing API key in the authorization header.';
  return answerError(401, 'missing_api_key', message);
}

/** Sending says 401, every other endpoint 400. */
export function answerInvalidApiKey(isSending: boolean): ServedAnswer {
  return answerError(isSending ? 401 : 400, 'validation_error', 'API key is invalid');
}

export function answerUnverifiedDomain(domain: string): ServedAnswer {
  const message = `The ${domain} domain is not verified. Please, add and verify your domain.`;
  return answerError(403, 'validation_error', message);
}

export function answerNotFound(message = 'The requested endpoint does not exist.'): ServedAnswer {
  return answerError(404, 'not_found', message);
}

export function answerMethodNotAllowed(): ServedAnswer {
  return answerError(405, 'method_not_allowed', 'Method is not allowed for the requested path.');
}

export function answerOtherPayload(): ServedAnswer {
  const message =
    "This idempotency key has been used with this HTTP method and endpoint within the last 24 hours, but the request body was modified and doesn't match the original request.";
  return answerError(409, 'invalid_idempotent_request', message);
}

export function answerKeyInFlight(): ServedAnswer {
  const message = 'There is another request in progress with the same idempotency key.';
  return answerError(409, 'concurrent_idempotent_requests', message);
}

export function answerMissingField(field: string): ServedAnswer {
  return answerError(422, 'missing_required_field', `Missing \`${field}\` field.`);
}

export function answerInvalidField(field: string, why: string): ServedAnswer {
  return answerError(422, 'validation_error', `Invalid \`${field}\` field. ${why}`);
}

export function answerQuotaExceeded(period: 'daily' | 'monthly'): ServedAnswer {
  const message = `You have exceeded your ${period} email sending quota.`;
  return answerError(429, `${period}_quota_exceeded`, message);
}

export function answerRateLimited(): ServedAnswer {
  const message =
    'Too many requests. Please limit the number of requests per second. Or contact support to increase rate limit.';
  return answerError(429, 'rate_limit_exceeded', message, {
    'ratelimit-limit': '5',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '1',
    'retry-after': '1',
  });
}

export function answerFailure(): ServedAnswer {
  return answerError(500, 'application_error', 'An unexpected error occurred.');
}

function answerJson(
  status: number,
  body: object,
  headers: ServedAnswer['headers'] = {},
): ServedAnswer {
  return {
    status,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  };
}
