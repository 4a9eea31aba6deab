/** Paths with names in them: `/orders/{order}/payments`. Pure. */
import type { JsonObject } from '../target.ts';
import { fieldAt } from './fields.ts';

export function namesIn(path: string): readonly string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
}

/** What stands for the names, or null where the path is another. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const parts = pattern.split('/');
  const given = path.split('/');
  if (parts.length !== given.length) return null;
  const found: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const came = given[index] ?? '';
    const [, name] = /^\{([^}]+)\}$/.exec(part) ?? [];
    if (name === undefined ? part !== came : came === '') return null;
    if (name !== undefined) found[name] = decodeURIComponent(came);
  }
  return found;
}

/** Throws where the entity lacks a field that is named. */
export function fillPath(pattern: string, entity: JsonObject): string {
  return pattern.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const value = fieldAt(entity, name);
    if (typeof value === 'string' || typeof value === 'number') {
      return encodeURIComponent(String(value));
    }
    throw new Error(
      `expected the field ${name} for ${pattern}, got ${JSON.stringify(value) ?? 'nothing'}`,
    );
  });
}
