/**
 * Matrices on disk: `NAME` is a file of the package's `matrices/` folder, anything that ends in
 * `.json` is a path of the user's. What does not fit the schema is refused with the schema's reasons.
 */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { UsageError } from '../model/errors.ts';
import { type Matrix, matrixSchema, type WholeMatrix } from '../model/matrix.ts';

export interface MatrixReference {
  /** A name, or a path that ends in `.json`. */
  readonly reference: string;
  /** The package's `matrices/` folder. */
  readonly matricesFolder: string;
  /** What a relative path is relative to. */
  readonly workingFolder: string;
}

export interface LocatedMatrix {
  readonly path: string;
  /** `package`: one of the files that come with Killpoint, however it was named. */
  readonly from: 'package' | 'file';
}

/** What a matrix may name, wherever it came from. */
export interface KnownSubjects {
  readonly gates: readonly { readonly name: string }[];
  readonly targets: readonly { readonly name: string }[];
}

/** Throws UsageError when there is no such matrix, it can't be read or it does not fit. */
export async function loadMatrix(input: MatrixReference): Promise<WholeMatrix> {
  return readMatrix(await locateMatrix(input), input.matricesFolder);
}

/** With what it includes. Throws UsageError when one of them can't be read, does not fit or includes itself. */
export async function readMatrix(
  { path }: Pick<LocatedMatrix, 'path'>,
  matricesFolder: string,
): Promise<WholeMatrix> {
  return readPart(path, { matricesFolder, including: [] });
}

interface PartSurroundings {
  readonly matricesFolder: string;
  /** The files that led here, each included by the one before it. */
  readonly including: readonly string[];
}

async function readPart(path: string, surroundings: PartSurroundings): Promise<WholeMatrix> {
  const including = [...surroundings.including, path];
  if (surroundings.including.includes(path)) {
    throw new UsageError(
      `expected matrices that include one another in no circle, got: ${including.join(' includes ')}; take one of these out of "include"`,
    );
  }
  const matrix = parseMatrix(await readMatrixText(path), path);
  const included: WholeMatrix[] = [];
  for (const reference of matrix.include ?? []) {
    const located = await locateIncluded(reference, path, surroundings.matricesFolder);
    included.push(await readPart(located.path, { ...surroundings, including }));
  }
  return { ...matrix, path, included };
}

async function locateIncluded(
  reference: string,
  path: string,
  matricesFolder: string,
): Promise<LocatedMatrix> {
  try {
    return await locateMatrix({ reference, matricesFolder, workingFolder: dirname(path) });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`the matrix ${path} includes what is not there: ${error.message}`, {
      cause: error,
    });
  }
}

/** Names of the matrices that come with the package, sorted. */
export async function listMatrices(matricesFolder: string): Promise<readonly string[]> {
  const files = await readdir(matricesFolder);
  return files
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

export function parseMatrix(text: string, path: string): Matrix {
  const parsed = matrixSchema.safeParse(parseJson(text, path));
  if (parsed.success) return parsed.data;
  throw new UsageError(
    `the matrix ${path} does not fit; expected the form of matrices/default.json, got:\n${z.prettifyError(parsed.error)}`,
  );
}

/** Throws UsageError that names every gate and target nobody knows, with its place in its file. */
export function assertSubjectsKnown(matrix: WholeMatrix, known: KnownSubjects): void {
  for (const part of matrix.included) assertSubjectsKnown(part, known);
  const complaints = matrix.slices.flatMap((slice, index) => [
    ...unknownIn(slice.gates, known.gates, { what: 'gate', place: `slices[${index}].gates` }),
    ...unknownIn(slice.targets, known.targets, {
      what: 'target',
      place: `slices[${index}].targets`,
    }),
  ]);
  if (complaints.length === 0) return;
  throw new UsageError(`the matrix ${matrix.path} does not fit:\n${complaints.join('\n')}`);
}

function unknownIn(
  names: readonly string[],
  known: readonly { readonly name: string }[],
  { what, place }: { readonly what: string; readonly place: string },
): readonly string[] {
  const knownNames = known.map(({ name }) => name);
  return names.flatMap((name, index) =>
    knownNames.includes(name)
      ? []
      : [`✖ unknown ${what} "${name}"; known: ${knownNames.join(', ')}\n  → at ${place}[${index}]`],
  );
}

/** Throws UsageError for a name that is no matrix of the package; a path is not looked at yet. */
export async function locateMatrix(input: MatrixReference): Promise<LocatedMatrix> {
  const known = await listMatrices(input.matricesFolder);
  const inPackage = (name: string) => join(input.matricesFolder, `${name}.json`);
  if (input.reference.endsWith('.json')) {
    const path = resolve(input.workingFolder, input.reference);
    return { path, from: known.map(inPackage).includes(path) ? 'package' : 'file' };
  }
  if (known.includes(input.reference)) return { path: inPackage(input.reference), from: 'package' };
  throw new UsageError(
    `unknown matrix "${input.reference}"; known: ${known.join(', ')}; a path ending in .json or the id of a trial will do as well`,
  );
}

async function readMatrixText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(
      `expected a matrix file at ${path}, got: ${messageOf(error)}; give a path that can be read`,
      { cause: error },
    );
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`expected JSON in ${path}, got: ${messageOf(error)}; mend the file`, {
      cause: error,
    });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
