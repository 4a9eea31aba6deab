/**
 * The rules of a sound gate by name. A gate that is known to lack one declares it, and what must be
 * found against it is derived from that.
 */
export const ruleNames = [
  'stable-key',
  'no-blind-resend',
  'payload-bound',
  'owner-proven-dead',
  'effects-performed',
] as const;
export type RuleName = (typeof ruleNames)[number];

export const ruleMeanings: Readonly<Record<RuleName, string>> = {
  'stable-key': 'every attempt for a decision carries the same key, stored before the first send',
  'no-blind-resend':
    'an attempt whose end is unknown is sent again only where a repeat can have no second effect',
  'payload-bound':
    'a request with another substance under a recorded decision is refused before the wire',
  'owner-proven-dead': 'an intent is taken over only when its owner is provably dead',
  'effects-performed': 'what is allowed and decided is performed',
};
