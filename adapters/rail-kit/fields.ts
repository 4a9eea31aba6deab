/** Fields of JSON objects by their paths: `amount`, `metadata.decision`. Pure. */
import type { JsonObject, JsonValue } from '../target.ts';

/** Undefined where there is none. */
export function fieldAt(object: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const name of path.split('.')) {
    if (!isObject(value)) return undefined;
    value = value[name];
  }
  return value;
}

/** A copy that has it; what stands in the way is replaced. */
export function withField(object: JsonObject, path: string, value: JsonValue): JsonObject {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...object, [name]: value };
  const inner = object[name];
  return { ...object, [name]: withField(isObject(inner) ? inner : {}, rest.join('.'), value) };
}

/** A copy without these fields of the first level. */
export function withoutFields(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
