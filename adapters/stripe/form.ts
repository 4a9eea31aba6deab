/**
 * Stripe's form encoding. In: a body or query as text. Out: its parameters, one level deep, which is
 * all that refunds need (`amount=1`, `metadata[order]=7`, `created[gte]=0`), or the name that is not
 * of that shape.
 */

export type FormValue = string | ReadonlyMap<string, string>;
export type Form = ReadonlyMap<string, FormValue>;

export type ParsedForm =
  | { readonly kind: 'form'; readonly form: Form }
  | { readonly kind: 'malformed'; readonly name: string };

export function parseForm(text: string): ParsedForm {
  const form = new Map<string, string | Map<string, string>>();
  for (const [name, value] of new URLSearchParams(text)) {
    const parts = /^([^[\]]+)(?:\[([^[\]]+)\])?$/.exec(name);
    const outer = parts?.[1];
    if (outer === undefined) return { kind: 'malformed', name };
    const inner = parts?.[2];
    const present = form.get(outer);
    if (inner === undefined) {
      if (present instanceof Map) return { kind: 'malformed', name };
      form.set(outer, value);
    } else if (present === undefined) {
      form.set(outer, new Map([[inner, value]]));
    } else if (typeof present === 'string') {
      return { kind: 'malformed', name };
    } else {
      present.set(inner, value);
    }
  }
  return { kind: 'form', form };
}

/** The same parameters give the same text, in whatever order they came. */
export function fingerprintForm(form: Form): string {
  const flat = [...form].flatMap(([name, value]): (readonly [string, string])[] =>
    typeof value === 'string'
      ? [[name, value]]
      : [...value].map(([inner, text]) => [`${name}[${inner}]`, text]),
  );
  return JSON.stringify(flat.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
