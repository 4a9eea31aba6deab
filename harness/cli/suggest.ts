/** "Did you mean": the nearest known name for one that is unknown. */
import { closestMatch } from 'leven';

/**
 * Adds a suggestion to a message of the form `unknown WHAT "GOT"; known: A, B, C`, which is how this
 * project refuses names; other messages come back as they are.
 */
export function withSuggestion(message: string): string {
  const parts = /unknown [a-z ]+ "([^"]*)"; known: ([^;\n]*)/.exec(message);
  const [matched, got, known] = parts ?? [];
  if (matched === undefined || got === undefined || known === undefined) return message;
  const nearest = closestMatch(got, known.split(', '), {
    maxDistance: Math.max(2, Math.ceil(got.length / 3)),
  });
  return nearest === undefined ? message : `${message}\n(did you mean ${nearest}?)`;
}
