/** Deliberately wrong: a gate that needs the harness. */
import { thing } from '../harness/model/thing.ts';

export const reached = thing;
