/** Argv values into numbers and selections. Refusals name what was expected and what came. */
import { InvalidArgumentError } from 'commander';
import type { JsonObject } from '../../adapters/target.ts';
import { UsageError } from '../model/errors.ts';
import { jsonObject } from '../model/json.ts';
import type { Shard } from '../plan/shard.ts';

export interface NumberRange {
  readonly least: number;
  readonly most: number;
}

export const trialsRange: NumberRange = { least: 1, most: 10_000 };
export const soundRange: NumberRange = { least: 0, most: 1_000_000 };
export const workersRange: NumberRange = { least: 1, most: 256 };
export const seedRange: NumberRange = { least: 0, most: 0xffff_ffff };

/** A parser of option values; signs, fractions, exponents and leading zeros are no whole numbers here. */
export function wholeNumber({ least, most }: NumberRange): (text: string) => number {
  return (text) => {
    const value = /^(0|[1-9]\d{0,11})$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

/** A parser of option values: `2/3` is the second of three. */
export function shardOption(text: string): Shard {
  const [, index = '', count = ''] = /^([1-9]\d{0,4})\/([1-9]\d{0,4})$/.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  if (count !== '' && shard.index <= shard.count) return shard;
  throw new InvalidArgumentError(
    'Expected i/n with i from 1 to n, like 2/3: the second of three shards.',
  );
}

/** A parser of option values; an empty text would mean the working folder itself. */
export function folderName(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('Expected the name of a folder; a dot means the working folder.');
}

/** A parser of option values: two files are written, whose endings are not the user's to choose. */
export function fileStem(text: string): string {
  if (text.trim() !== '' && !/[/\\]$|\.(md|json)$/.test(text)) return text;
  throw new InvalidArgumentError('Expected the name of a file without .md and .json.');
}

/** A parser of option values. */
export function jsonOption(text: string): JsonObject {
  try {
    const parsed = jsonObject.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
  } catch {
    // Said below, as for every other text that is no object.
  }
  throw new InvalidArgumentError('Expected a JSON object, like \'{"variant":"keyed"}\'.');
}

export type Selection =
  | { readonly kind: 'matrix'; readonly reference: string }
  | { readonly kind: 'ids'; readonly ids: readonly string[] };

export const defaultMatrix = 'default';

/** One matrix or any number of ids; nothing means the default matrix. Throws UsageError for a mixture. */
export function readSelection(names: readonly string[]): Selection {
  const [first] = names;
  if (first === undefined) return { kind: 'matrix', reference: defaultMatrix };
  if (names.every(looksLikeId)) return { kind: 'ids', ids: names };
  if (names.length === 1) return { kind: 'matrix', reference: first };
  throw new UsageError(
    `expected one matrix or any number of ids, got: ${names.join(' ')}; run them one after the other`,
  );
}

function looksLikeId(name: string): boolean {
  return name.includes('/') && !name.endsWith('.json');
}

/** Safe to paste into a POSIX shell. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
