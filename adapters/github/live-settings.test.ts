import { describe, expect, test } from 'vitest';
import { readLiveSettings } from './live-settings.ts';

const secret = 'Ab3dEf6hIj9lMn2pQr5t';
const given = {
  KILLPOINT_GITHUB_TOKEN: `github_pat_${secret}`,
  KILLPOINT_GITHUB_SANDBOX: 'Octo/Sandbox',
};

describe('the settings of a live rail', () => {
  test('name a token and the one repository', () => {
    expect(readLiveSettings(given)).toEqual({
      kind: 'ready',
      token: `github_pat_${secret}`,
      personToken: null,
      sandbox: { owner: 'Octo', repo: 'Sandbox' },
      endpoint: { protocol: 'https', host: 'api.github.com', port: 443 },
    });
  });

  test.each([
    {},
    { KILLPOINT_GITHUB_TOKEN: given.KILLPOINT_GITHUB_TOKEN },
    { KILLPOINT_GITHUB_SANDBOX: 'octo/sandbox' },
    { ...given, KILLPOINT_GITHUB_SANDBOX: '' },
  ])('that lack one say what to set: %j', (environment) => {
    expect(readLiveSettings(environment)).toMatchObject({
      kind: 'unavailable',
      why: expect.stringMatching(/set KILLPOINT_GITHUB_TOKEN, and KILLPOINT_GITHUB_SANDBOX/),
    });
  });

  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ['a sandbox of one word', { KILLPOINT_GITHUB_SANDBOX: 'octo' }, /owner\/name/],
    ['a sandbox that leads elsewhere', { KILLPOINT_GITHUB_SANDBOX: '../octo' }, /owner\/name/],
    ['an address', { KILLPOINT_GITHUB_SANDBOX: 'https://github.com/a/b' }, /owner\/name/],
    ['a token of two words', { KILLPOINT_GITHUB_TOKEN: `a ${secret}` }, /KILLPOINT_GITHUB_TOKEN/],
    [
      'people with the same token',
      { KILLPOINT_GITHUB_PERSON_TOKEN: given.KILLPOINT_GITHUB_TOKEN },
      /another token/,
    ],
    ['people with two words', { KILLPOINT_GITHUB_PERSON_TOKEN: `a ${secret}` }, /PERSON_TOKEN/],
    ['GitHub without TLS', { KILLPOINT_GITHUB_URL: 'http://localhost' }, /https:\/\/HOST/],
    ['an authority that is none', { KILLPOINT_GITHUB_CA: '/dev/null' }, /KILLPOINT_GITHUB_CA/],
  ])('with %s are refused, and show no token', (_, changes, why) => {
    const settings = readLiveSettings({ ...given, ...changes });
    expect(settings).toMatchObject({ kind: 'refused', why: expect.stringMatching(why) });
    expect(JSON.stringify(settings)).toContain('nothing was sent');
    expect(JSON.stringify(settings)).not.toContain(secret.slice(0, 3));
  });
});
