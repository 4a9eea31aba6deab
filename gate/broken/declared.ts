/**
 * The reference gate with one rule removed, again and again: which module stands in for which, what was
 * removed, and the fewest cells that show it with all that is found there. Data alone.
 */
import type { BrokenGate } from './declaration.ts';
import { learningGates } from './declared-learning.ts';
import { sendingGates } from './declared-sending.ts';

export const brokenGates: readonly BrokenGate[] = [...sendingGates, ...learningGates];
