/** What a described service says: a status, a body and the headers that go with it. */
import type { JsonObject, JsonValue } from '../target.ts';
import type { ServedAnswer } from '../whole-request-server.ts';
import { type ServiceDescription, type ServiceError, statusesOf } from './description.ts';

export interface Answers {
  ok(body: JsonValue): ServedAnswer;
  created(entity: JsonObject): ServedAnswer;
  /** What was stored under a key, once more. */
  replayed(answer: ServedAnswer): ServedAnswer;
  invalid(message: string): ServedAnswer;
  unauthorized(): ServedAnswer;
  tooMany(): ServedAnswer;
  notFound(message: string): ServedAnswer;
  error(status: number, code: string, message: string): ServedAnswer;
}

export function answersOf(description: ServiceDescription): Answers {
  const { create, key, errorBody = usualErrorBody } = description;
  const statuses = statusesOf(description);
  const error: Answers['error'] = (status, code, message) =>
    json(status, errorBody({ status, code, message }));
  return {
    ok: (body) => json(200, body),
    created: (entity) => json(create.status ?? 201, entity),
    replayed: (answer) =>
      key?.replayedHeader === undefined
        ? answer
        : { ...answer, headers: { ...answer.headers, [key.replayedHeader.toLowerCase()]: 'true' } },
    invalid: (message) => error(statuses.invalid, 'invalid', message),
    unauthorized: () => error(statuses.unauthorized, 'unauthorized', 'Nobody is known by this.'),
    tooMany: () => error(statuses.tooMany, 'too_many_requests', 'Too many requests.'),
    notFound: (message) => error(statuses.notFound, 'not_found', message),
    error,
  };
}

function usualErrorBody({ code, message }: ServiceError): JsonObject {
  return { error: { code, message } };
}

function json(status: number, body: JsonValue): ServedAnswer {
  return {
    status,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  };
}
