/** Names that stand in tables where the harness's own types are not known. */

/** Throws for a name that is none of them. */
export function knownName<Name extends string>(
  names: readonly Name[],
  name: string,
  what: string,
): Name {
  const found = names.find((candidate) => candidate === name);
  if (found === undefined)
    throw new Error(`${what}: expected one of ${names.join(', ')}, got ${name}`);
  return found;
}
