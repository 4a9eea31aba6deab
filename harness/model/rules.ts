/**
 * The rules of a sound gate by name. A gate that is known to lack one declares it, and what must be
 * found against it is derived from that.
 */
export const ruleNames = [
  'stable-key',
  'window-kept',
  'no-blind-resend',
  'asked-first',
  'absence-final',
  'stamp-compared',
  'refusal-proven',
  'unknown-surfaced',
  'payload-bound',
  'distinct-kept',
  'reason-covered',
  'authority-rechecked',
  'premises-rechecked',
  'caps-reserved',
  'owner-proven-dead',
  'effects-performed',
] as const;
export type RuleName = (typeof ruleNames)[number];

export const ruleMeanings: Readonly<Record<RuleName, string>> = {
  'stable-key': 'every attempt for a decision carries the same key, stored before the first send',
  'window-kept': 'a key is sent again only while the service is sure to remember it',
  'no-blind-resend':
    'an attempt whose end is unknown is sent again only where a repeat can have no second effect',
  'asked-first': 'a service that can be asked is asked before anything is sent to it again',
  'absence-final': 'an absence is believed only once nothing can land any more',
  'stamp-compared': 'an answer is believed only when it carries the stamp of the decision',
  'refusal-proven':
    'a decision is called refused only when none of its attempts can have taken effect',
  'unknown-surfaced': 'what can’t be known is handed to a person',
  'payload-bound':
    'a request with another substance under a recorded decision is refused before the wire',
  'distinct-kept': 'a second approved decision of equal substance is one of its own',
  'reason-covered': 'a stated reason sets an effect apart only where the lease covers it',
  'authority-rechecked': 'the lease is asked for again before every send',
  'premises-rechecked': 'the facts a decision relied on are read again before every send',
  'caps-reserved':
    'what a lease allows in all is reserved before a send, for everything that may have happened',
  'owner-proven-dead': 'an intent is taken over only when its owner is provably dead',
  'effects-performed': 'what is allowed and decided is performed',
};
