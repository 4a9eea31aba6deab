/** Broken gates that record, send or answer as a sound one must not. */
import type { BrokenGate } from './declaration.ts';

export const sendingGates: readonly BrokenGate[] = [
  {
    name: 'no-write-first',
    about: 'records an attempt only once its call has ended',
    lacks: 'recorded-first',
    finding: 'sent-before-recorded',
    replaces: { send: 'no-write-first' },
    cells: [
      {
        cell: 'stripe.keyed/during_call:now/none/none/same-again',
        findings: ['silent-loss', 'sent-before-recorded', 'receipt-false'],
      },
    ],
  },
  {
    name: 'intent-after-call',
    about: 'calls first and writes down afterwards what it called for',
    lacks: 'recorded-first',
    finding: 'sent-before-recorded',
    replaces: { submit: 'intent-after-call' },
    cells: [
      {
        cell: 'stripe.keyed/during_call:now/none/none/same-again',
        findings: ['sent-before-recorded', 'silent-loss'],
      },
    ],
  },
  {
    name: 'fresh-key',
    about: 'sends every attempt under a key of its own',
    lacks: 'stable-key',
    finding: 'two-effects',
    replaces: { send: 'fresh-key' },
    cells: [
      { cell: 'stripe.keyed/during_call:now/none/none/same-again', findings: ['two-effects'] },
    ],
  },
  {
    name: 'clock-in-key',
    about: 'makes the time part of the key',
    lacks: 'stable-key',
    finding: 'two-effects',
    replaces: { send: 'clock-in-key' },
    cells: [
      { cell: 'stripe.keyed/during_call:now/none/none/same-again', findings: ['two-effects'] },
    ],
  },
  {
    name: 'key-from-request-id',
    about: 'takes the caller’s id of a request for the decision',
    lacks: 'stable-key',
    finding: 'two-effects',
    replaces: { gate: 'key-from-request-id' },
    cells: [
      {
        cell: 'stripe.keyed/after_commit_before_ack/none/none/fresh-id',
        findings: ['two-effects', 'hidden-retry', 'settled-changed'],
      },
    ],
  },
  {
    name: 'new-key-after-stored-500',
    about: 'gets round a stored failure with another key',
    lacks: 'stable-key',
    finding: 'two-effects',
    replaces: { send: 'new-key-after-stored-500' },
    cells: [
      {
        cell: 'stripe.keyed/after_commit_before_ack/stored-error-landed@first-send/none/same-again',
        findings: ['two-effects', 'hidden-retry'],
      },
    ],
  },
  {
    name: 'retry-on-timeout',
    about: 'sends again at once what was not answered',
    lacks: 'no-blind-resend',
    finding: 'two-effects',
    replaces: { send: 'retry-on-timeout' },
    cells: [
      {
        cell: 'stripe.blind/after_commit_before_ack/slow@first-send/none/same-again',
        findings: ['two-effects', 'hidden-retry'],
      },
    ],
  },
  {
    name: 'payload-unbound',
    about: 'takes any substance for the one it recorded',
    lacks: 'payload-bound',
    finding: 'wrong-substance',
    replaces: { outcome: 'payload-unbound' },
    cells: [
      {
        cell: 'stripe.keyed/after_commit_before_ack/none/none/changed-amount',
        findings: ['wrong-substance'],
      },
    ],
  },
  {
    name: 'resend-after-window',
    about: 'sends a key again that the service has forgotten',
    lacks: 'window-kept',
    finding: 'two-effects',
    replaces: { window: 'resend-after-window' },
    cells: [
      {
        cell: 'stripe.keyed/during_call:now/none/long-outage/same-again',
        findings: ['two-effects'],
      },
    ],
  },
  {
    name: 'swallows-second',
    about: 'takes a second, equal decision for the first',
    lacks: 'distinct-kept',
    finding: 'lost-effect',
    replaces: { identity: 'swallows-second' },
    cells: [
      {
        cell: 'stripe.keyed/after_commit_before_ack/none/none/second-legitimate',
        findings: ['lost-effect', 'phantom', 'receipt-false'],
      },
    ],
  },
  {
    name: 'believes-stated-reason',
    about: 'lets a stated reason set an effect apart, whatever the lease covers',
    lacks: 'reason-covered',
    finding: 'two-effects',
    replaces: { permission: 'believes-stated-reason' },
    cells: [
      {
        cell: 'stripe.keyed/after_commit_before_ack/none/none/invented-reason',
        findings: ['two-effects', 'wrong-substance'],
      },
    ],
  },
  {
    name: 'cap-outside-transaction',
    about: 'sums up what was spent before the transaction that spends',
    lacks: 'caps-reserved',
    finding: 'over-cap',
    replaces: { permission: 'cap-outside-transaction' },
    cells: [{ cell: 'stripe.keyed/before_wal/none/none/over-cap', findings: ['over-cap'] }],
  },
  {
    name: 'no-lease-recheck',
    about: 'sends again under a lease it does not ask for again',
    lacks: 'authority-rechecked',
    finding: 'dead-authority',
    replaces: { permission: 'no-lease-recheck' },
    cells: [
      {
        cell: 'stripe.keyed/during_call:never/none/authority-revoked/same-again',
        findings: ['dead-authority'],
      },
    ],
  },
  {
    name: 'no-premise-recheck',
    about: 'sends again on premises it does not read again',
    lacks: 'premises-rechecked',
    finding: 'stale-premise',
    replaces: { permission: 'no-premise-recheck' },
    cells: [
      {
        cell: 'stripe.keyed/during_call:never/none/premise-changed/same-again',
        findings: ['stale-premise'],
      },
    ],
  },
  {
    name: 'claim-lost-on-exception',
    about: 'takes a call without an answer for one that was never made',
    lacks: 'claim-kept',
    finding: 'two-effects',
    replaces: { send: 'claim-lost-on-exception' },
    cells: [
      {
        cell: 'stripe.blind/after_commit_before_ack/reply-lost@first-send/none/same-again',
        findings: ['two-effects', 'guessed', 'silent-loss', 'receipt-false'],
      },
    ],
  },
  {
    name: 'refusal-of-second',
    about: 'lets a refusal of one attempt speak for all',
    lacks: 'refusal-proven',
    finding: 'silent-loss',
    replaces: { 'judge-answer': 'refusal-of-second' },
    cells: [
      {
        cell: 'stripe.keyed/during_call:now/refused-401@resend/none/same-again',
        findings: ['silent-loss', 'receipt-false'],
      },
    ],
  },
  {
    name: 'refuses-everything',
    about: 'allows nothing',
    lacks: 'effects-performed',
    finding: 'needless-refusal',
    replaces: { permission: 'refuses-everything' },
    cells: [
      {
        cell: 'stripe.keyed/after_commit_before_ack/none/none/same-again',
        findings: ['lost-effect', 'needless-refusal'],
      },
    ],
  },
  {
    name: 'audit-skipped',
    about: 'leaves the recording of an attempt out of the chain',
    lacks: 'audit-kept',
    finding: 'unknown-after-recovery',
    replaces: { chain: 'audit-skipped' },
    cells: [
      {
        cell: 'stripe.keyed/after_wal_before_call/none/none/same-again',
        findings: ['unknown-after-recovery'],
      },
    ],
  },
  {
    name: 'receipt-lies',
    about: 'receipts as executed what is unknown',
    lacks: 'receipt-true',
    finding: 'receipt-false',
    replaces: { outcome: 'receipt-lies' },
    cells: [
      { cell: 'stripe.blind/during_call:now/none/none/same-again', findings: ['receipt-false'] },
    ],
  },
];
