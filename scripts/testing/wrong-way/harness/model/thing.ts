/** Deliberately wrong: half of a circle. */
import { other } from './other.ts';

export const thing = () => other;
