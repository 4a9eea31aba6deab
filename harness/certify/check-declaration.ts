/**
 * Whether a target says of itself what can be true: the shape of its declaration, and whether its parts
 * and its means agree. All complaints at once, each naming the field. Pure.
 */
import type { EffectTarget, TargetDeclaration } from '../../adapters/target.ts';
import { declarationSchema } from '../model/protocol.ts';

/** What of a target shows which means it has. */
export type TargetMeans = Pick<EffectTarget, 'query' | 'fence'> & { readonly declaration: unknown };

/** Empty where there is nothing to complain about. */
export function checkDeclaration(target: TargetMeans): readonly string[] {
  const parsed = declarationSchema.safeParse(target.declaration);
  if (!parsed.success) {
    return parsed.error.issues.map(
      ({ path, message }) => `${['declaration', ...path].join('.')}: ${message}`,
    );
  }
  return [...contradictions(parsed.data), ...strayMeans(parsed.data, target)];
}

function contradictions({
  dedupe,
  lookup,
  absence,
  storedErrorFinal,
  guardsPremises,
  premises,
  clientTimeoutMs,
}: TargetDeclaration): readonly string[] {
  return complaints([
    [
      dedupe?.windowMs === 0,
      'declaration.dedupe.windowMs is 0, which is no window; say null where keys mean nothing',
    ],
    [
      absence === 'fence' && lookup === null,
      "declaration.absence is 'fence' and declaration.lookup is null; what can be fenced can be asked, so declare the lookup",
    ],
    [
      typeof absence === 'object' && lookup === null,
      'declaration.absence is a landing bound and declaration.lookup is null; after the bound somebody has to look, so declare the lookup or say never',
    ],
    [
      storedErrorFinal && dedupe === null,
      'declaration.storedErrorFinal is true and declaration.dedupe is null; only a service that keeps keys stores errors under them',
    ],
    [
      guardsPremises && premises.length === 0,
      'declaration.guardsPremises is true and declaration.premises is empty; what the service checks can be read before, so declare the premises',
    ],
    [
      clientTimeoutMs === 0,
      'declaration.clientTimeoutMs is 0; say how long apply waits for an answer',
    ],
    [
      new Set(premises).size < premises.length,
      'declaration.premises names a kind twice; name each once',
    ],
  ]);
}

function strayMeans(
  { lookup, absence }: TargetDeclaration,
  { query, fence }: TargetMeans,
): readonly string[] {
  return complaints([
    [
      lookup !== null && query === undefined,
      'declaration.lookup is declared and the target has no query; add query, or say lookup: null',
    ],
    [
      lookup === null && query !== undefined,
      'the target has a query and declaration.lookup is null; declare the lookup with its lag, or remove query',
    ],
    [
      absence === 'fence' && fence === undefined,
      "declaration.absence is 'fence' and the target has no fence; add fence, or declare a landing bound or never",
    ],
    [
      absence !== 'fence' && fence !== undefined,
      "the target has a fence and declaration.absence is not 'fence'; declare it, or remove fence",
    ],
  ]);
}

function complaints(rows: readonly (readonly [boolean, string])[]): readonly string[] {
  return rows.filter(([applies]) => applies).map(([, text]) => text);
}
