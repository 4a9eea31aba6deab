/**
 * GitHub's published description of its answers. In: an answer to one request. Out: what is wrong with
 * it by that description, or that the description does not speak of it. `scripts/github-responses.ts`
 * made the copy that is read here.
 */
import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

export interface SeenAnswer {
  readonly method: string;
  /** With owner, name and numbers in it, without a query. */
  readonly path: string;
  readonly status: number;
  /** Empty, or the JSON of the body. */
  readonly data: unknown;
}

export type Judgement =
  | { readonly kind: 'as-described' }
  | { readonly kind: 'undescribed' }
  | { readonly kind: 'wrong'; readonly why: string };

type Schemas = Readonly<Record<string, object | null>>;

const file = new URL('./responses.json', import.meta.url);
const { operations } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly operations: Readonly<Record<string, Schemas>>;
};

// The description has words of its own beside those that validate.
const ajv = new Ajv({ strict: false, allErrors: true });
// A formatter is exported as the module itself, which its types call a default.
const useFormats = addFormats as unknown as (to: Ajv, formats: readonly string[]) => void;
useFormats(ajv, ['date-time', 'uri', 'email']);
ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
const compiled = new Map<string, ValidateFunction>();

export function judgeAnswer({ method, path, status, data }: SeenAnswer): Judgement {
  const operation = Object.keys(operations).find((name) => isOf(name, method, path));
  const schema = operation === undefined ? undefined : operations[operation]?.[`${status}`];
  if (operation === undefined || schema === undefined) return { kind: 'undescribed' };
  if (schema === null) {
    const isEmpty = data === undefined || data === '';
    if (isEmpty || status >= 400) return { kind: 'as-described' };
    return { kind: 'wrong', why: `expected ${operation} ${status} to be empty` };
  }
  const name = `${operation} ${status}`;
  const validate = compiled.get(name) ?? ajv.compile(withNulls(schema) as object);
  compiled.set(name, validate);
  if (validate(data)) return { kind: 'as-described' };
  const why = ajv.errorsText(validate.errors, { dataVar: 'body' });
  return { kind: 'wrong', why: `${name}: ${why}` };
}

/** `GET /repos/{owner}/{repo}/git/ref/{ref}`; a ref may hold slashes. */
function isOf(name: string, method: string, path: string): boolean {
  const [described, template = ''] = name.split(' ');
  const pattern = template.replaceAll('{ref}', '.+').replace(/\{\w+\}/g, '[^/]+');
  return described === method && new RegExp(`^${pattern}$`).test(path);
}

/** OpenAPI 3.0 says `nullable` beside any keyword, JSON Schema only by another type. */
function withNulls(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNulls);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withNulls(value)]),
  );
  return nullable === true ? { anyOf: [{ type: 'null' }, rest] } : rest;
}
