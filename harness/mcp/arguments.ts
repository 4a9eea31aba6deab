/** What an agent calls a tool with, made of the request of a trial. Pure. */
import type { JsonObject, JsonValue } from '../../adapters/target.ts';
import { UsageError } from '../model/errors.ts';

const placeholder = /\{([A-Za-z]\w*)\}/g;

/**
 * `{field}` stands for a field of the request; a text that is nothing else keeps the field's JSON type.
 * Throws UsageError for a field the request does not have.
 */
export function fillArguments(template: JsonValue, request: JsonObject): JsonValue {
  if (typeof template === 'string') return fillText(template, request);
  if (Array.isArray(template)) return template.map((item) => fillArguments(item, request));
  if (typeof template === 'object' && template !== null) {
    return Object.fromEntries(
      Object.entries(template).map(([name, value]) => [name, fillArguments(value, request)]),
    );
  }
  return template;
}

function fillText(text: string, request: JsonObject): JsonValue {
  const [whole] = text.match(/^\{([A-Za-z]\w*)\}$/) ?? [];
  if (whole !== undefined) return fieldOf(request, text.slice(1, -1));
  return text.replaceAll(placeholder, (_, name: string) => String(fieldOf(request, name)));
}

function fieldOf(request: JsonObject, name: string): JsonValue {
  const value = Object.hasOwn(request, name) ? request[name] : undefined;
  if (value !== undefined) return value;
  throw new UsageError(
    `--args: expected placeholders of ${Object.keys(request).join(', ')}, got {${name}}`,
  );
}
