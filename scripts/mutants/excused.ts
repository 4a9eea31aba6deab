/**
 * Mutants that nothing shows, each with the reason why nothing can: what it changes makes no difference
 * that a promise speaks of. One that is shown after all, or stands in no source, must leave the list.
 */
export const excused: Readonly<Record<string, string>> = {
  'recovery.ts: !(tries === 0 && !isAtWork)':
    'only how long it pauses before a look changes, never whether it looks',
  'recovery.ts: !(isAtWork)':
    'only how long it pauses before a look changes, never whether it looks',
  "look.ts: !(seen.proof === 'fence')": 'only the words of the evidence change',
  'judge-answer.ts: !(noEffect === null)': 'only the words of the evidence change',
};
