/**
 * Mutants that nothing shows, each with the reason why nothing can: what it changes makes no difference
 * that a promise speaks of. One that is shown after all, or stands in no source, must leave the list.
 */
export const excused: Readonly<Record<string, string>> = {};
