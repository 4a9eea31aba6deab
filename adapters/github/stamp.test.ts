import { describe, expect, test } from 'vitest';
import { bodyWithStamp, stampOfBody, stampOfMessage, trailerOf, whyNotStampable } from './stamp.ts';

const key = 'a1'.repeat(32);

describe('a merge’s stamp', () => {
  test.each<[string, string, string | null]>([
    ['is the trailer', `Merge pull request #7\n\n${trailerOf(key)}`, key],
    [
      'is found before trailers that GitHub adds',
      `T\n\nEffect-Id: ${key}\n\nCo-authored-by: A <a@b>`,
      key,
    ],
    [
      'is found among those of squashed commits',
      `T\n\nEffect-Id: other\n\nEffect-Id: ${key}\nEffect-Id: last`,
      key,
    ],
    [
      'is another’s, and then the last of them',
      'T\n\nEffect-Id: first\n\nEffect-Id: last\n',
      'last',
    ],
    ['is none in the middle of a line', `T\n\nas in Effect-Id: ${key}`, null],
    ['is none where a longer key only begins so', `T\n\nEffect-Id: ${key}0`, `${key}0`],
    ['is none of a commit without a trailer', 'Merge pull request #7 from octo/topic', null],
  ])('%s', (_, message, stamp) => {
    expect(stampOfMessage(message, key)).toBe(stamp);
  });
});

describe('a comment’s stamp', () => {
  test.each<[string, string, string | null]>([
    ['is the hidden line at its end', bodyWithStamp('text', key), key],
    [
      'is read where an editor ends its lines otherwise',
      bodyWithStamp('text', key).replaceAll('\n', '\r\n'),
      key,
    ],
    [
      'is ours after one that the text holds',
      bodyWithStamp(bodyWithStamp('text', 'other'), key),
      key,
    ],
    ['is none where it is quoted', `> <!-- effect-id: ${key} -->`, null],
    ['is none where more follows', `${bodyWithStamp('text', key)}\nmore`, null],
    ['is none of a plain text', 'text', null],
  ])('%s', (_, body, stamp) => {
    expect(stampOfBody(body)).toBe(stamp);
  });
});

test.each(['', ' a', 'a ', 'a\nb', 'ä', 'a-->b', 'x'.repeat(256)])('%j is no stamp', (key) => {
  expect(whyNotStampable(key)).toMatch(/printable ASCII/);
});

test.each(['x', 'a b', 'x'.repeat(255), key])('%j is a stamp', (key) => {
  expect(whyNotStampable(key)).toBeNull();
});
