/**
 * The rules of a sound gate by name. A gate that is known to lack one declares it, and what must be
 * found against it is derived from that.
 */
export const ruleNames = [
  'recorded-first',
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
  'unknown-reconciled',
  'learnt-first',
  'lookup-error-unknown',
  'own-effect-known',
  'tombstone-known',
  'claim-kept',
  'nothing-guessed',
  'evidence-decides',
  'settled-stays',
  'budget-durable',
  'audit-kept',
  'receipt-true',
] as const;
export type RuleName = (typeof ruleNames)[number];

export const ruleMeanings: Readonly<Record<RuleName, string>> = {
  'recorded-first': 'an attempt is durable before its first byte leaves',
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
  'unknown-reconciled': 'what is unknown is looked for before it is given up',
  'learnt-first':
    'what became of an attempt is learnt before anything is said of whether another is allowed',
  'lookup-error-unknown': 'a lookup that failed or was cut short says nothing of what is there',
  'own-effect-known': 'an effect of one’s own is no change of the facts it was decided on',
  'tombstone-known': 'a fence of one’s own that a resend meets is no effect',
  'claim-kept': 'what was sent stays claimed when the call throws',
  'nothing-guessed': 'what nothing proves is not settled',
  'evidence-decides': 'what the evidence proves is settled and handed to nobody',
  'settled-stays': 'what has been settled does not change by itself',
  'budget-durable': 'how often has been looked outlives the process that looked',
  'audit-kept': 'every transition is in the chain',
  'receipt-true': 'a receipt says no more than is known',
};
