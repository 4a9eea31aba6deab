/**
 * Sound targets with one rule removed, again and again: which target it is made from, what stands in for
 * what or which option is wrong, and the fewest cells that show it to the reference gate, with all that
 * is found there. Data alone.
 */
import type { BrokenTarget } from './broken-target.ts';
import { brokenGithubTargets } from './declared-github.ts';
import { brokenMailTargets } from './declared-mail.ts';

export type { BrokenTarget, BrokenTargetCell } from './broken-target.ts';

export const brokenTargets: readonly BrokenTarget[] = [
  {
    name: 'key-not-sent',
    about: 'declares that keys are honoured, and sends none',
    over: 'stripe.keyed',
    finding: 'two-effects',
    replaces: { 'stripe/single-send-client': 'key-not-sent' },
    cells: [{ cell: 'during_call:now/none/none/same-again', findings: ['two-effects'] }],
  },
  {
    name: 'random-key',
    about: 'sends a key, and makes it up anew for every attempt',
    over: 'stripe.keyed',
    finding: 'two-effects',
    replaces: { 'stripe/refund-call': 'random-key' },
    cells: [{ cell: 'during_call:now/none/none/same-again', findings: ['two-effects'] }],
  },
  {
    name: 'one-page',
    about: 'looks at the first page of a list alone',
    over: 'stripe.lookup',
    finding: 'silent-loss',
    replaces: { 'stripe/refund-page': 'one-page' },
    cells: [
      {
        cell: 'during_call:now/paged@look/none/same-again',
        findings: ['two-effects', 'silent-loss', 'receipt-false'],
      },
    ],
  },
  {
    name: 'stamp-not-sent',
    about: 'looks for a stamp that its effects do not carry',
    over: 'stripe.lookup',
    finding: 'silent-loss',
    replaces: { 'stripe/refund-call': 'stamp-not-sent' },
    cells: [
      {
        cell: 'during_call:now/none/none/same-again',
        findings: ['two-effects', 'silent-loss', 'receipt-false'],
      },
    ],
  },
  {
    name: 'stamp-from-wrong-field',
    about: 'stamps its effects in one field and reads the stamp from another',
    over: 'stripe.lookup',
    finding: 'silent-loss',
    replaces: { 'stripe/stamp': 'stamp-from-wrong-field' },
    cells: [
      {
        cell: 'during_call:now/none/none/same-again',
        findings: ['two-effects', 'silent-loss', 'receipt-false'],
      },
    ],
  },
  {
    name: 'sdk-retries-on',
    about: 'leaves on the retries of the SDK',
    over: 'stripe.lookup',
    // The SDK pauses for half a second before it sends again; the gate waits twice as long as this.
    options: { target: { clientTimeoutMs: 800 } },
    finding: 'hidden-retry',
    replaces: { 'stripe/sdk-settings': 'sdk-retries-on' },
    cells: [
      {
        cell: 'after_call_before_commit/reply-lost@first-send/none/same-again',
        findings: ['two-effects', 'needless-ambiguity', 'hidden-retry'],
      },
    ],
  },
  {
    name: 'stale-index',
    about: 'looks in an index that lags behind by more than is declared',
    over: 'stripe.lookup',
    options: { rail: { lagMs: 1_500 } },
    finding: 'silent-loss',
    cells: [
      {
        cell: 'during_call:now/stale-read@look/none/same-again',
        findings: ['two-effects', 'silent-loss', 'receipt-false'],
      },
    ],
  },
  {
    name: 'answers-early',
    about: 'says that it landed before the service has answered',
    over: 'stripe.keyed',
    finding: 'wrong-entity',
    replaces: { 'stripe/send-once': 'answers-early' },
    cells: [
      {
        cell: 'after_commit_before_ack/slow@first-send/none/same-again',
        findings: ['wrong-entity'],
      },
    ],
  },
  {
    name: 'error-as-success',
    about: 'takes an error for success',
    over: 'stripe.keyed',
    finding: 'phantom',
    replaces: { 'stripe/send-once': 'error-as-success' },
    cells: [
      {
        cell: 'after_commit_before_ack/request-lost@first-send/none/same-again',
        findings: ['lost-effect', 'phantom', 'receipt-false'],
      },
    ],
  },
  {
    name: 'tier-overstated',
    about: 'declares that keys are honoured by a service that ignores them',
    over: 'stripe.blind',
    options: { target: { variant: 'keyed' } },
    finding: 'two-effects',
    cells: [{ cell: 'during_call:now/none/none/same-again', findings: ['two-effects'] }],
  },
  {
    name: 'window-overstated',
    about: 'declares that keys are kept for longer than they are',
    over: 'stripe.keyed',
    finding: 'two-effects',
    replaces: { 'stripe/declaration': 'window-overstated' },
    cells: [
      { cell: 'during_call:now/none/outage-in-window/same-again', findings: ['two-effects'] },
    ],
  },
  {
    name: 'bound-overstated',
    about: 'declares that a request lands sooner than the service needs for it',
    over: 'stripe.lookup',
    // A request lands 250 ms after it was received, and 5 are declared.
    options: { target: { clientTimeoutMs: 500 }, rail: { workMs: 250 } },
    finding: 'silent-loss',
    cells: [
      {
        cell: 'during_call:later/none/none/same-again',
        findings: ['two-effects', 'silent-loss', 'receipt-false'],
      },
    ],
  },
  {
    name: 'precondition-as-fence',
    about: 'takes a precondition that an orphan satisfies as well for a fence',
    over: 'ledgered.fence',
    // Long enough at work that recovery looks before an orphan has landed.
    options: { target: { clientTimeoutMs: 500 }, rail: { workMs: 250 } },
    finding: 'silent-loss',
    replaces: { 'ledgered/lookups': 'precondition-as-fence' },
    cells: [
      {
        cell: 'during_call:later/none/none/same-again',
        findings: ['two-effects', 'silent-loss', 'receipt-false'],
      },
    ],
  },
  {
    name: 'premise-at-recovery',
    about:
      'compares premises with what it has read a moment before, and not with what was decided on',
    over: 'stripe.keyed',
    finding: 'stale-premise',
    replaces: { 'stripe/premises': 'premise-at-recovery' },
    cells: [
      {
        cell: 'after_wal_before_call/none/premise-changed/same-again',
        findings: ['stale-premise'],
      },
    ],
  },
  ...brokenMailTargets,
  ...brokenGithubTargets,
];
