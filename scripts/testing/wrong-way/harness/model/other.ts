/** Deliberately wrong: the other half of the circle. */
import { thing } from './thing.ts';

export const other = () => thing;
