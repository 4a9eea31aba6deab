/**
 * What the stand-in says: a status, headers of its own, and a body. Wordings are Stripe's where a
 * capture is known; the README says which are not.
 */

export interface Answer {
  readonly status: number;
  readonly body: string;
  /** Beyond those every answer has. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface StripeFailure {
  readonly type: 'invalid_request_error' | 'idempotency_error' | 'api_error';
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
}

export function answerObject(object: object): Answer {
  return { status: 200, body: JSON.stringify(object, null, 2), headers: {} };
}

export function answerFailure(
  status: number,
  failure: StripeFailure,
  headers: Answer['headers'] = {},
): Answer {
  return { status, body: JSON.stringify({ error: failure }, null, 2), headers };
}

export function answerBadRequest(failure: Omit<StripeFailure, 'type'>): Answer {
  return answerFailure(400, { type: 'invalid_request_error', ...failure });
}

export function answerNoSuch(what: string, id: string, param: string, status = 404): Answer {
  return answerFailure(status, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param,
    message: `No such ${what}: '${id}'`,
  });
}

export function answerUnknownParameter(name: string): Answer {
  return answerBadRequest({
    code: 'parameter_unknown',
    param: name,
    message: `Received unknown parameter: ${name}`,
  });
}

export function answerNoSuchPath(method: string, path: string): Answer {
  return answerFailure(404, {
    type: 'invalid_request_error',
    message: `Unrecognized request URL (${method}: ${path}). This stand-in knows refunds, payment intents and the account.`,
  });
}

export function answerNotAuthorized(apiKey: string | null): Answer {
  const message =
    apiKey === null
      ? 'You did not provide an API key. Provide it in the Authorization header, using Bearer auth.'
      : `Invalid API Key provided: ${maskKey(apiKey)}`;
  return answerFailure(
    401,
    { type: 'invalid_request_error', message },
    { 'www-authenticate': 'Bearer realm="Stripe"' },
  );
}

export function answerForbidden(apiKey: string): Answer {
  return answerFailure(403, {
    type: 'invalid_request_error',
    message: `The provided key '${maskKey(apiKey)}' does not have the required permissions for this endpoint.`,
  });
}

export function answerRateLimit(): Answer {
  return answerFailure(429, {
    type: 'invalid_request_error',
    code: 'rate_limit',
    message: 'Request rate limit exceeded.',
  });
}

export function answerLockTimeout(): Answer {
  return answerFailure(
    429,
    {
      type: 'invalid_request_error',
      code: 'lock_timeout',
      message:
        'This object cannot be accessed right now because another API request or Stripe process is currently accessing it.',
    },
    { 'stripe-should-retry': 'true' },
  );
}

/** Stripe stores it under the key, so that asking again is pointless, and the header says so. */
export function answerServerError(): Answer {
  return answerFailure(
    500,
    { type: 'api_error', message: 'An unknown error occurred' },
    { 'stripe-should-retry': 'false' },
  );
}

function maskKey(apiKey: string): string {
  return `${apiKey.slice(0, 8)}****${apiKey.slice(-4)}`;
}
