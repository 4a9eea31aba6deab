/** What an agent calls a tool with, made of the request of a trial. Pure. */
import type { JsonObject, JsonValue } from '../../adapters/target.ts';
import { UsageError } from '../model/errors.ts';

const placeholder = /\{([A-Za-z]\w*)\}/g;

/**
 * `{field}` stands for a field of the request; a text that is nothing else keeps the field's JSON type.
 * Throws UsageError for a field the request does not have, in the name of the option it was typed with.
 */
export function fillArguments(
  template: JsonValue,
  request: JsonObject,
  option = '--args',
): JsonValue {
  if (typeof template === 'string') return fillText(template, request, option);
  if (Array.isArray(template)) return template.map((item) => fillArguments(item, request, option));
  if (typeof template === 'object' && template !== null) {
    return Object.fromEntries(
      Object.entries(template).map(([name, value]) => [
        name,
        fillArguments(value, request, option),
      ]),
    );
  }
  return template;
}

function fillText(text: string, request: JsonObject, option: string): JsonValue {
  const [whole] = text.match(/^\{([A-Za-z]\w*)\}$/) ?? [];
  if (whole !== undefined) return fieldOf(request, text.slice(1, -1), option);
  return text.replaceAll(placeholder, (_, name: string) => String(fieldOf(request, name, option)));
}

function fieldOf(request: JsonObject, name: string, option: string): JsonValue {
  const value = Object.hasOwn(request, name) ? request[name] : undefined;
  if (value !== undefined) return value;
  throw new UsageError(
    `${option}: expected placeholders of ${Object.keys(request).join(', ')}, got {${name}}`,
  );
}
