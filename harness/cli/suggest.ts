/** "Did you mean": the nearest known name for one that is unknown. */
import { closestMatch } from 'leven';

/**
 * Adds a suggestion for every `unknown WHAT "GOT"; known: A, B, C` in a message, which is how this
 * project refuses names; other messages come back as they are.
 */
export function withSuggestion(message: string): string {
  const suggestions = [...message.matchAll(/unknown [a-z ]+ "([^"]*)"; known: ([^;\n]*)/g)].flatMap(
    ([, got = '', known = '']) => {
      const nearest = closestMatch(got, known.split(', '), {
        maxDistance: Math.max(2, Math.ceil(got.length / 3)),
      });
      return nearest === undefined ? [] : [`(did you mean ${nearest}?)`];
    },
  );
  return [message, ...new Set(suggestions)].join('\n');
}
