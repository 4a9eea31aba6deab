/**
 * A declared run: which values of each axis are combined, what is left out and why. Files under
 * `matrices/` are read through this schema. Every value of an axis is checked by itself, so that a
 * refusal says which one came, where it stands and what is known.
 */
import { z } from 'zod';
import { allArmedFaults, callerBehaviours, formatFault, parseKill, worldEvents } from './cell.ts';
import { UsageError } from './errors.ts';
import { allKillPoints, recoveryPoints } from './kill-points.ts';

type Read<Value> =
  | { readonly kind: 'known'; readonly value: Value }
  | { readonly kind: 'unknown'; readonly why: string };

interface Axis<Value> {
  /** What one value is called. */
  readonly what: string;
  readonly read: (text: string) => Read<Value>;
}

const killAxis: Axis<string> = { what: 'kill point', read: readKill };
const faultAxis = axisOf<string>('fault', allArmedFaults.map(formatFault));
const worldAxis = axisOf('world event', worldEvents);
const callerAxis = axisOf('caller behaviour', callerBehaviours);

/** What a slice tells, for a matrix that is read as a story. */
const chapterSchema = z.strictObject({
  title: z.string().min(1),
  /** What happens in it, in one sentence. */
  tells: z.string().min(1),
});
export type Chapter = z.infer<typeof chapterSchema>;

export const sliceSchema = z.strictObject({
  chapter: chapterSchema.optional(),
  gates: z.array(z.string().min(1)).min(1),
  targets: z.array(z.string().min(1)).min(1),
  kills: allOrSome(killAxis),
  faults: allOrSome(faultAxis),
  worlds: allOrSome(worldAxis),
  callers: allOrSome(callerAxis),
  trialsPerCell: z.number().int().min(1).max(10_000),
});

/** Cells left out on purpose; `match` is a prefix of the cell's id. */
export const exclusionSchema = z.strictObject({
  match: z.string().min(1),
  reason: z.string().min(1),
  link: z.string().min(1),
});

export const matrixSchema = z
  .strictObject({
    name: z.string().regex(/^[a-z][a-z0-9-]*$/, 'a name is lower-case letters, digits and dashes'),
    title: z.string().min(1),
    seed: z.number().int().min(0).max(0xffff_ffff),
    /** Other matrices, whose cells come before its own: names, or paths relative to this file. */
    include: z.array(z.string().min(1)).min(1).optional(),
    slices: z.array(sliceSchema),
    /** They hold for its own slices, and not for what it includes. */
    exclusions: z.array(exclusionSchema),
    /** How many cells the reachability function rules out; a change of this number is a change of the plan. */
    cannotMeet: z.number().int().nonnegative(),
  })
  .superRefine(({ slices, include }, context) => {
    if (slices.length > 0 || include !== undefined) return;
    const message = 'expected at least one slice, or other matrices under "include", got neither';
    context.addIssue({ code: 'custom', message, path: ['slices'] });
  });
export type Matrix = z.infer<typeof matrixSchema>;
export type MatrixSlice = z.infer<typeof sliceSchema>;

/** A matrix with what it includes, read from disk. */
export interface WholeMatrix extends Matrix {
  readonly path: string;
  readonly included: readonly WholeMatrix[];
}

/**
 * The files a matrix is made of, in the order their cells come: what it includes before itself. Throws
 * UsageError where what it includes was not read with it.
 */
export function partsOf(matrix: Matrix | WholeMatrix): readonly Matrix[] {
  if ('included' in matrix) return [...matrix.included.flatMap(partsOf), matrix];
  if (matrix.include === undefined) return [matrix];
  throw new UsageError(
    `matrix ${matrix.name}: it includes ${matrix.include.join(', ')}, and only the matrix itself was given; read it with loadMatrix, which reads those too`,
  );
}

/** Its slices and those of everything it includes. */
export function slicesOf(matrix: Matrix | WholeMatrix): readonly MatrixSlice[] {
  return partsOf(matrix).flatMap(({ slices }) => slices);
}

/** A union of `"all"` and a list would say of a wrong value only that it is neither. */
function allOrSome<Value>(axis: Axis<Value>) {
  return z
    .unknown()
    .transform((input, context): 'all' | Value[] =>
      input === 'all'
        ? input
        : readValues(input, axis, `"all" or a list of ${axis.what}s`, context),
    );
}

function readValues<Value>(
  input: unknown,
  axis: Axis<Value>,
  expected: string,
  context: z.RefinementCtx,
): Value[] {
  if (!Array.isArray(input) || input.length === 0) {
    context.addIssue(`expected ${expected}, got ${shown(input)}`);
    return z.NEVER;
  }
  return input.flatMap((item: unknown, index): Value[] => {
    const read =
      typeof item === 'string'
        ? axis.read(item)
        : {
            kind: 'unknown' as const,
            why: `expected the name of a ${axis.what}, got ${shown(item)}`,
          };
    if (read.kind === 'known') return [read.value];
    context.addIssue({ code: 'custom', message: read.why, path: [index], input: item });
    return [];
  });
}

function axisOf<Value extends string>(what: string, known: readonly Value[]): Axis<Value> {
  return {
    what,
    read(text) {
      const value = known.find((candidate) => candidate === text);
      return value === undefined
        ? { kind: 'unknown', why: unknownName(what, text, known) }
        : { kind: 'known', value };
    },
  };
}

/** The part that is unknown is named, since one text may hold a kill point and several of recovery. */
function readKill(text: string): Read<string> {
  if (parseKill(text) !== undefined) return { kind: 'known', value: text };
  const [kill = '', ...more] = text.split('+');
  const knownPoints: readonly string[] = recoveryPoints;
  const wrong = more.find(
    (word) => word !== 'paused' && !knownPoints.includes(word.replace(/^rival@/, '')),
  );
  const isKillKnown = allKillPoints.some((name) => name === kill);
  const why = !isKillKnown
    ? unknownName('kill point', kill, allKillPoints)
    : wrong === undefined
      ? 'expected each word once, "paused" behind recovery points and one "rival@…" last'
      : unknownName('recovery point', wrong, knownPoints);
  const form = 'after_wal_before_call+owned+before-resend';
  return {
    kind: 'unknown',
    why: `${why}; it came in "${text}"; where recovery is killed too it is written like ${form}, with ${knownPoints.join(', ')}`,
  };
}

/** The form in which this project refuses names; the command line adds the nearest known one. */
function unknownName(what: string, got: string, known: readonly string[]): string {
  return `unknown ${what} "${got}"; known: ${known.join(', ')}`;
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
