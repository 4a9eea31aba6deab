/**
 * Whether a description can be of a service at all. In: a description. Out: nothing, or an error that
 * names every contradiction, where it is and what to do.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Examples } from '../rail.ts';
import type { JsonObject } from '../target.ts';
import {
  keyStatusesOf,
  type ListDescription,
  type ServiceDescription,
  statusesOf,
} from './description.ts';
import { fieldAt } from './fields.ts';
import { namesIn } from './paths.ts';

export function checkDescription(description: ServiceDescription): void {
  const complaints = [
    ...complainOfPaths(description),
    ...complainOfHeaders(description),
    ...complainOfStatuses(description),
    ...complainOfFields(description),
    ...(description.list === null ? [] : complainOfList(description.list)),
  ];
  // Examples are read with the fields, so that those come first.
  const all = complaints.length > 0 ? complaints : complainOfExamples(description);
  if (all.length === 0) return;
  throw new Error(
    `the description of ${description.name || 'a service without a name'} contradicts itself:\n${all.map((line) => `- ${line}`).join('\n')}`,
  );
}

function complainOfPaths({ create, list, get, undo }: ServiceDescription): readonly string[] {
  const paths = {
    'create.path': create.path,
    ...(list !== null && { 'list.path': list.path }),
    ...(get !== undefined && { 'get.path': get.path }),
    ...(undo !== undefined && { 'undo.path': undo.path }),
  };
  return [
    ...Object.entries(paths).flatMap(([where, path]) =>
      /^\/[^?#]*$/.test(path)
        ? []
        : [`${where}: expected a path that begins with / and has no query, got "${path}"`],
    ),
    ...[
      ['get.path', get?.path],
      ['undo.path', undo?.path],
    ].flatMap(([where, path]) =>
      path === undefined || namesIn(path).includes('id')
        ? []
        : [`${where}: expected {id} in it, got "${path}"; it is about one entity`],
    ),
    ...(list !== null && list.path === get?.path
      ? ['get.path is list.path; they must differ']
      : []),
  ];
}

function complainOfHeaders({ credential, key }: ServiceDescription): readonly string[] {
  const headers = [credential.header, ...(key === null ? [] : [key.header])];
  const broken = headers.filter((header) => !/^[A-Za-z0-9-]+$/.test(header));
  return [
    ...broken.map((header) => `expected the name of a header, got "${header}"`),
    ...(key !== null && key.header.toLowerCase() === credential.header.toLowerCase()
      ? [`key.header and credential.header are both ${key.header}; a request has one value for it`]
      : []),
    ...(key !== null && key.windowMs !== 'forever' && !(key.windowMs > 0)
      ? [
          `key.windowMs: expected more than 0 or 'forever', got ${key.windowMs}; without a window say key: null`,
        ]
      : []),
  ];
}

function complainOfStatuses(description: ServiceDescription): readonly string[] {
  const { key, create } = description;
  const refusals = Object.entries({
    ...statusesOf(description),
    ...(key === null ? {} : keyStatusesOf(key)),
  });
  const made = create.status ?? 201;
  return [
    ...(made >= 200 && made < 300
      ? []
      : [`create.status: expected one of 2xx, which says that it was done, got ${made}`]),
    ...refusals
      .filter(([, status]) => status < 400 || status > 499)
      .map(([name, status]) => `the status ${name}: expected one of 4xx, got ${status}`),
    ...(key !== null && keyStatusesOf(key).inFlight === keyStatusesOf(key).conflict
      ? [
          `key.inFlightStatus and key.conflictStatus are both ${keyStatusesOf(key).conflict}; a target could not tell "wait" from "never"`,
        ]
      : []),
  ];
}

function complainOfFields({ stamp, entity }: ServiceDescription): readonly string[] {
  const substance = Object.entries(entity.substance);
  const taken = [
    ['entity.id', entity.id],
    ['entity.subject', entity.subject],
    ...substance.map(([name, path]) => [`entity.substance.${name}`, path]),
  ];
  return [
    ...(substance.length === 0
      ? ['entity.substance: expected the fields that say what took effect, got none']
      : []),
    ...taken.flatMap(([where, path]) =>
      path === stamp
        ? [`stamp and ${where} are both ${stamp}; a stamp needs a field of its own`]
        : [],
    ),
    ...substance.flatMap(([name, path]) =>
      path === entity.id
        ? [`entity.id and entity.substance.${name} are both ${path}; the service makes the id`]
        : [],
    ),
  ];
}

function complainOfList({ rows, paging, lagMs = 0 }: ListDescription): readonly string[] {
  const lag = lagMs >= 0 ? [] : [`list.lagMs: expected 0 or more, got ${lagMs}`];
  if (paging === null) return lag;
  const { size, more } = paging;
  const next = paging.by === 'cursor' && paging.next !== 'last-id' ? paging.next.field : undefined;
  const named = [more, next].filter((field) => field !== undefined);
  return [
    ...lag,
    ...(size.usual >= 1 && size.usual <= size.most
      ? []
      : [
          `list.paging.size: expected usual from 1 to most, got usual ${size.usual} and most ${size.most}`,
        ]),
    ...(size.query === paging.query
      ? [
          `list.paging: the query ${paging.query} can’t say both where a page begins and how long it is`,
        ]
      : []),
    ...(rows === '' && named.length > 0
      ? [
          `list.paging: ${named.join(' and ')} would stand beside the rows, and with rows: '' the answer is the list itself`,
        ]
      : []),
    ...(named.includes(rows) || (more !== undefined && more === next)
      ? [`list: rows and ${named.join(' and ')} need fields of their own`]
      : []),
  ];
}

function complainOfExamples(description: ServiceDescription): readonly string[] {
  const { request, changed, distinct, lookAlike } = description.examples(1);
  const examples: Examples = { request, changed, distinct, lookAlike };
  const lacking = Object.entries(examples).flatMap(([name, example]) =>
    complainOfEntity(description, name, description.entityOf(example as JsonObject)),
  );
  if (lacking.length > 0) return lacking;
  const asked = (example: JsonObject) => description.entityOf(example);
  const subjectOf = (example: JsonObject) => fieldAt(asked(example), description.entity.subject);
  const { substance } = description.entity;
  const substanceOf = (example: JsonObject) =>
    Object.values(substance).map((path) => fieldAt(asked(example), path) ?? null);
  const isSame = (one: JsonObject, other: JsonObject) =>
    isDeepStrictEqual(substanceOf(one), substanceOf(other));
  return [
    ...(subjectOf(changed) === subjectOf(request)
      ? []
      : ['examples: changed must be about the same subject as request; it is the same decision']),
    ...(isSame(changed, request)
      ? ['examples: changed must ask for another substance than request; it asks for the same']
      : []),
    ...(isSame(distinct, request) && isSame(lookAlike, request)
      ? []
      : ['examples: distinct and lookAlike must ask for the same substance as request']),
    ...(isDeepStrictEqual(distinct, request)
      ? [
          'examples: distinct must differ from request in something, such as the name of an approval',
        ]
      : []),
    ...complainOfWords(description, request),
  ];
}

function complainOfEntity(
  { create, list, entity }: ServiceDescription,
  example: string,
  asked: JsonObject,
): readonly string[] {
  const needed = [
    ...namesIn(create.path),
    ...(list === null ? [] : namesIn(list.path)),
    entity.subject,
    ...Object.values(entity.substance),
  ];
  const missing = [...new Set(needed)].filter((path) => fieldAt(asked, path) === undefined);
  return missing.map(
    (path) =>
      `entityOf(examples(1).${example}): expected the field ${path}, got ${JSON.stringify(asked)}`,
  );
}

/** The journal speaks in the request's own words, so that both can be compared. */
function complainOfWords(
  { entity, entityOf }: ServiceDescription,
  request: JsonObject,
): readonly string[] {
  return Object.entries(entity.substance).flatMap(([name, path]) => {
    const written = fieldAt(entityOf(request), path);
    return isDeepStrictEqual(written, request[name])
      ? []
      : [
          `entity.substance.${name}: expected ${path} to hold the request's ${name} (${JSON.stringify(request[name])}), got ${JSON.stringify(written)}; name the field of the request that it is`,
        ];
  });
}
