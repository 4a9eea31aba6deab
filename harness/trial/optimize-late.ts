/**
 * A setting of V8 for a process that runs trials. In: nothing. Out: this process is set up; to be called
 * once and early, by whoever owns the process and never by a library.
 */
import { setFlagsFromString } from 'node:v8';

/**
 * Eight times the usual patience before a function is optimized. Most of a run's code is called a few
 * hundred times, too seldom to earn what its optimization costs; what is called more still gets there.
 */
export function optimizeLate(): void {
  setFlagsFromString('--interrupt-budget=540672');
}
