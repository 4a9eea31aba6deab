/**
 * Which rules the gates lack that people run today. The catalogue names them, and what must be found
 * against each is derived from them alone.
 */
import type { RuleName } from './rules.ts';

/** What a job table leaves out that only writes work down and reruns it. */
const jobTable: readonly RuleName[] = [
  'no-blind-resend',
  'asked-first',
  'stamp-compared',
  'unknown-surfaced',
  'payload-bound',
  'distinct-kept',
  'authority-rechecked',
  'premises-rechecked',
  'caps-reserved',
  'owner-proven-dead',
];

export const baselineLacks = {
  naive: ['stable-key', ...jobTable],
  'key-only': ['window-kept', ...jobTable],
  queue: [
    'window-kept',
    'no-blind-resend',
    'asked-first',
    'stamp-compared',
    'payload-bound',
    'reason-covered',
    'authority-rechecked',
    'premises-rechecked',
    'caps-reserved',
    'owner-proven-dead',
  ],
  'hand-check': [
    'window-kept',
    'no-blind-resend',
    'absence-final',
    'stamp-compared',
    'refusal-proven',
    'unknown-surfaced',
    'caps-reserved',
    'owner-proven-dead',
  ],
  'refuse-all': ['effects-performed'],
} as const satisfies Readonly<Record<string, readonly RuleName[]>>;
