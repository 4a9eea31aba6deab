/**
 * Files for the git library, read and written at once. A repository here is a handful of small files; the
 * asynchronous calls of Node would have each of a merge's dozen steps wait behind whatever else its
 * program has given to the few threads that do such work, and the service would be as slow as that.
 */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import type { PromiseFsClient } from 'isomorphic-git';

type Files = PromiseFsClient['promises'];

export const promptFiles: PromiseFsClient = {
  promises: {
    readFile: prompt(readFileSync as Called),
    writeFile: prompt(writeFileSync as Called),
    mkdir: prompt(mkdirSync as Called),
    rmdir: prompt(rmdirSync as Called),
    unlink: prompt(unlinkSync as Called),
    stat: prompt(statSync as Called),
    lstat: prompt(lstatSync as Called),
    readdir: prompt(readdirSync as Called),
    readlink: prompt(readlinkSync as Called),
    symlink: prompt(symlinkSync as Called),
  } satisfies Files,
};

/** The library says what it gives to each of them; here they only differ in when they are done. */
type Called = (...given: readonly unknown[]) => unknown;

function prompt(call: Called) {
  return async (...given: readonly unknown[]) => call(...given);
}
