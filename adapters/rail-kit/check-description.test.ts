import { expect, it } from 'vitest';
import { railOf, type ServiceDescription } from './rail-kit.ts';
import { payments } from './testing/desk.ts';

type Changes = Partial<ServiceDescription>;
const { key, list, examples } = payments;
if (key === null || list?.paging == null) throw new Error('expected keys and pages');
const { paging } = list;
const example =
  (changes: object): ServiceDescription['examples'] =>
  (seed) => ({
    ...examples(seed),
    ...changes,
  });

it.each<[string, Changes, RegExp]>([
  [
    'a path that is none',
    { create: { path: 'payments' } },
    /create\.path: expected a path that begins with \/.*got "payments"/,
  ],
  [
    'one entity without its id',
    { get: { path: '/payments/one' } },
    /get\.path: expected \{id\} in it/,
  ],
  [
    'a header that is none',
    { key: { ...key, header: 'Idempotency Key' } },
    /expected the name of a header, got "Idempotency Key"/,
  ],
  [
    'one header for two things',
    { key: { ...key, header: 'Authorization' } },
    /key\.header and credential\.header are both Authorization/,
  ],
  [
    'a window that is none',
    { key: { ...key, windowMs: 0 } },
    /key\.windowMs: expected more than 0 or 'forever', got 0; .*key: null/,
  ],
  [
    'one status for two answers',
    { key: { ...key, conflictStatus: 409 } },
    /are both 409; a target could not tell/,
  ],
  [
    'a success that is none',
    { create: { ...payments.create, status: 404 } },
    /create\.status: expected one of 2xx.*got 404/,
  ],
  [
    'a refusal that is none',
    { statuses: { tooMany: 503 } },
    /the status tooMany: expected one of 4xx, got 503/,
  ],
  ['a stamp in the place of the id', { stamp: 'id' }, /stamp and entity\.id are both id/],
  [
    'a stamp in the place of an amount',
    { stamp: 'amount' },
    /stamp and entity\.substance\.amountMinor are both amount/,
  ],
  [
    'no substance',
    { entity: { ...payments.entity, substance: {} } },
    /entity\.substance: expected the fields/,
  ],
  [
    'a lag before its time',
    { list: { ...list, lagMs: -1 } },
    /list\.lagMs: expected 0 or more, got -1/,
  ],
  [
    'pages longer than the longest',
    { list: { ...list, paging: { ...paging, size: { usual: 9, most: 3 } } } },
    /usual 9 and most 3/,
  ],
  [
    'one query for two things',
    { list: { ...list, paging: { ...paging, query: 'limit' } } },
    /the query limit can’t say both/,
  ],
  [
    'rows that leave no room',
    { list: { ...list, rows: '' } },
    /has_more would stand beside the rows/,
  ],
  [
    'an entity without its subject',
    { entityOf: () => ({ amount: 1, currency: 'eur' }) },
    /entityOf\(examples\(1\)\.request\): expected the field order, got \{"amount":1/,
  ],
  [
    'another subject for the same decision',
    { examples: example({ changed: { order: 'o9', amountMinor: 1, currency: 'eur' } }) },
    /changed must be about the same subject/,
  ],
  [
    'a change that is none',
    { examples: example({ changed: examples(1).request }) },
    /changed must ask for another substance/,
  ],
  [
    'a look-alike that looks otherwise',
    { examples: example({ lookAlike: examples(1).changed }) },
    /lookAlike must ask for the same substance/,
  ],
  [
    'a second decision that is the first',
    { examples: example({ distinct: examples(1).request }) },
    /distinct must differ from request in something/,
  ],
  [
    'words that are not the request’s',
    { entity: { ...payments.entity, substance: { amount: 'amount' } } },
    /entity\.substance\.amount: expected amount to hold the request's amount \(undefined\), got 2000/,
  ],
])('refuses %s', (_, changes, message) => {
  expect(() => railOf({ ...payments, ...changes })).toThrow(message);
});

it('names all that is wrong at once', () => {
  const broken = { ...payments, stamp: 'id', create: { path: 'payments', status: 404 } };
  expect(() => railOf(broken)).toThrow(
    /payments contradicts itself:\n- create\.path.*\n- create\.status.*\n- stamp and/,
  );
});

it('takes a service that knows no keys and lists nothing', () => {
  const { get: _, undo: __, ...least } = payments;
  expect(() => railOf({ ...least, key: null, list: null, stamp: null })).not.toThrow();
});
