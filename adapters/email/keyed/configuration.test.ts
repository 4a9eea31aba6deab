import { describe, expect, test } from 'vitest';
import { type Endpoint, InvalidRequestError, type JsonObject } from '../../target.ts';
import { exampleRequests } from '../examples.ts';
import { createTarget } from './target.ts';

const { request } = exampleRequests(1);
const nowhere: Endpoint = { protocol: 'https', host: 'mail.example', port: 443 };
const credentials = { apiKey: 're_s3cret' };

function configure(config: Partial<Parameters<typeof createTarget>[0]> = {}) {
  return createTarget({ endpoint: nowhere, credentials, options: {}, now: Date.now, ...config });
}

describe('configuration', () => {
  test('declares a key that is kept for a day, and nothing else', () => {
    const { declaration, query, fence } = configure();
    expect(declaration).toEqual({
      dedupe: { windowMs: 86_400_000 },
      onceByState: false,
      guardsPremises: false,
      lookup: null,
      absence: 'never',
      storedErrorFinal: false,
      noReturnMark: false,
      premises: [],
      clientTimeoutMs: 30_000,
    });
    expect([query, fence]).toEqual([undefined, undefined]);
  });

  test.each<[string, JsonObject, RegExp]>([
    ['an unknown option', { retries: 3 }, /also came retries/],
    ['a timeout of 0', { clientTimeoutMs: 0 }, /integer from 1/],
  ])('%s is an error that says what to do', (_, options, message) => {
    expect(() => configure({ options })).toThrow(message);
  });

  test.each<[string, JsonObject]>([
    ['no key', {}],
    ['a key of another shape', { apiKey: 's3cret' }],
    ['a key with a line break', { apiKey: 're_s3cret\n' }],
    ['a team that holds the key', { apiKey: 're_s3cret', team: 're_s3cret' }],
    ['an unknown credential', { apiKey: 're_s3cret', secret: 's3cret' }],
  ])('%s is an error that does not hold the key', (_, wrong) => {
    expect(() => configure({ credentials: wrong })).toThrow(/^(?!.*s3cret).*$/s);
  });

  test('an endpoint that contradicts itself is an error', () => {
    expect(() => configure({ endpoint: { ...nowhere, protocol: 'smtp' } })).toThrow(/came smtp/);
    const plain: Endpoint = { ...nowhere, protocol: 'http', caPem: 'PEM' };
    expect(() => configure({ endpoint: plain })).toThrow(/caPem/);
  });
});

describe('identity', () => {
  test('is team, recipient and reference; what the mail says is no part of it', () => {
    const target = configure({ credentials: { ...credentials, team: 'acme' } });
    const identity = target.identify(request);
    expect(identity).toEqual({
      target: 'email.keyed',
      account: 'acme',
      operation: 'send',
      subject: `${request.recipient}/${request.reference}`,
      keyFields: {},
    });
    expect(target.identify({ ...request, text: 'Bye', distinct: 'approval-7' })).toEqual(identity);
  });

  test.each<[string, JsonObject, RegExp]>([
    ['several recipients', { ...request, recipient: 'a@b.example,c@d.example' }, /perRecipient/],
    [
      'others in the header',
      { ...request, to: [String(request.recipient), 'c@d.example'] },
      /SMTP/,
    ],
  ])('%s are an invalid request', (_, invalid, message) => {
    const identify = () => configure().identify(invalid);
    expect(identify).toThrow(InvalidRequestError);
    expect(identify).toThrow(message);
  });

  test('a header that shows the recipient alone is none that shows others', () => {
    const shown = { ...request, to: [String(request.recipient)] };
    expect(configure().identify(shown)).toEqual(configure().identify(request));
  });
});

describe('premises', () => {
  test('are none, and none are checked', async () => {
    const target = configure();
    expect(await target.capture(request)).toEqual([]);
    expect(await target.validate(request, [], 'k')).toEqual({ kind: 'hold' });
    const some = [{ kind: 'value-equals', fact: 'x', value: 1 }] as const;
    expect(await target.validate(request, some, 'k')).toMatchObject({ kind: 'could-not-tell' });
  });
});
