/** Whose merge a merge is. */
import { stampOfMessage } from './stamp.ts';

/** By the trailer of its commit alone: GitHub knows who pressed the button, not for which decision. */
export function isOurs(message: string, key: string): boolean {
  return stampOfMessage(message, key) === key;
}
