/**
 * Matrices on disk: `NAME` is a file of the package's `matrices/` folder, anything that ends in
 * `.json` is a path of the user's. What does not fit the schema is refused with the schema's reasons.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { UsageError } from '../model/errors.ts';
import { type Matrix, matrixSchema } from '../model/matrix.ts';

export interface MatrixReference {
  /** A name, or a path that ends in `.json`. */
  readonly reference: string;
  /** The package's `matrices/` folder. */
  readonly matricesFolder: string;
  /** What a relative path is relative to. */
  readonly workingFolder: string;
}

/** Throws UsageError when there is no such matrix, it can't be read or it does not fit. */
export async function loadMatrix(input: MatrixReference): Promise<Matrix> {
  const path = await locate(input);
  return parseMatrix(await readMatrixText(path), path);
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

async function locate(input: MatrixReference): Promise<string> {
  if (input.reference.endsWith('.json')) return resolve(input.workingFolder, input.reference);
  const known = await listMatrices(input.matricesFolder);
  if (known.includes(input.reference)) return join(input.matricesFolder, `${input.reference}.json`);
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
