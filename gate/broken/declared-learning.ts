/** Broken gates that learn what became of an effect as a sound one must not. */
import type { BrokenGate } from './declaration.ts';

export const learningGates: readonly BrokenGate[] = [
  {
    name: 'never-reconciles',
    about: 'leaves what is unknown as it is',
    lacks: 'unknown-reconciled',
    finding: 'unknown-after-recovery',
    replaces: { recovery: 'never-reconciles' },
    cells: [
      {
        cell: 'stripe.lookup/during_call:now/none/none/same-again',
        findings: ['unknown-after-recovery'],
      },
    ],
  },
  {
    name: 'first-page-absence',
    about: 'takes what is not on the first page for absent',
    lacks: 'absence-final',
    finding: 'two-effects',
    cells: [
      {
        cell: 'stripe.lookup/during_call:now/paged@look/none/same-again',
        findings: ['two-effects', 'silent-loss', 'receipt-false'],
      },
    ],
  },
  {
    name: 'absence-before-lag',
    about: 'looks before what is there has come into the lists',
    lacks: 'absence-final',
    finding: 'two-effects',
    replaces: { 'look-time': 'absence-before-lag' },
    cells: [
      {
        cell: 'stripe.laggard/during_call:now/stale-read@look/none/same-again',
        findings: ['two-effects', 'silent-loss', 'receipt-false'],
      },
    ],
  },
  {
    name: 'bound-from-send',
    about: 'counts the landing bound from the send, not from ownership',
    lacks: 'absence-final',
    finding: 'silent-loss',
    replaces: { recovery: 'bound-from-send' },
    cells: [
      {
        cell: 'stripe.patient/during_call:later/none/authority-expired/same-again',
        findings: ['needless-refusal', 'silent-loss', 'receipt-false'],
      },
    ],
  },
  {
    name: 'errored-lookup-absent',
    about: 'takes a lookup that failed for one that found nothing',
    lacks: 'lookup-error-unknown',
    finding: 'two-effects',
    replaces: { 'ask-service': 'errored-lookup-absent' },
    cells: [
      {
        cell: 'stripe.lookup/during_call:now/lookup-500@look/none/same-again',
        findings: ['two-effects', 'silent-loss', 'receipt-false'],
      },
    ],
  },
  {
    name: 'matches-by-amount',
    about: 'takes any effect of the amount for its own',
    lacks: 'stamp-compared',
    finding: 'phantom',
    cells: [
      {
        cell: 'stripe.lookup/during_call:never/none/none/same-again',
        findings: ['lost-effect', 'phantom', 'receipt-false'],
      },
    ],
  },
  {
    name: 'believes-any-reply',
    about: 'takes whatever effect an answer names for its own',
    lacks: 'stamp-compared',
    finding: 'wrong-entity',
    replaces: { gate: 'believes-any-reply' },
    cells: [
      {
        cell: 'stripe.keyed/after_commit_before_ack/foreign-reply@first-send/none/same-again',
        findings: ['wrong-entity'],
      },
    ],
  },
  {
    name: 'authority-before-learning',
    about: 'says of what is no longer allowed that it has not happened',
    lacks: 'learnt-first',
    finding: 'silent-loss',
    replaces: { 'ask-service': 'authority-before-learning' },
    cells: [
      {
        cell: 'stripe.lookup/during_call:now/none/authority-revoked/same-again',
        findings: ['needless-refusal', 'silent-loss', 'receipt-false'],
      },
    ],
  },
  {
    name: 'own-effect-as-change',
    about: 'takes its own effect for a change of the facts',
    lacks: 'own-effect-known',
    finding: 'needless-ambiguity',
    replaces: { gate: 'own-effect-as-change' },
    cells: [
      {
        cell: 'stripe.keyed/during_call:now/none/unrelated-change/same-again',
        findings: ['needless-ambiguity'],
      },
    ],
  },
  {
    name: 'tombstone-as-done',
    about: 'takes its own fence for the effect',
    lacks: 'tombstone-known',
    finding: 'phantom',
    replaces: { gate: 'tombstone-as-done' },
    cells: [
      {
        cell: 'ledgered.fence/during_call:never/none/none/same-again',
        findings: ['lost-effect', 'phantom', 'receipt-false'],
      },
    ],
  },
  {
    name: 'reopens-settled',
    about: 'opens again what was settled',
    lacks: 'settled-stays',
    finding: 'settled-changed',
    replaces: { submit: 'reopens-settled', states: 'reopens-settled-states' },
    cells: [
      {
        cell: 'stripe.blind/after_commit_before_ack/none/none/same-again',
        findings: ['settled-changed', 'needless-ambiguity'],
      },
    ],
  },
  {
    name: 'guesses-done',
    about: 'says of what nobody can know that it happened',
    lacks: 'nothing-guessed',
    finding: 'guessed',
    replaces: { surface: 'guesses-done' },
    cells: [
      {
        cell: 'stripe.blind/after_wal_before_call/none/none/same-again',
        findings: ['guessed', 'phantom', 'receipt-false'],
      },
    ],
  },
  {
    name: 'guesses-absent',
    about: 'says of what nobody can know that it did not happen',
    lacks: 'nothing-guessed',
    finding: 'guessed',
    replaces: { surface: 'guesses-absent' },
    cells: [
      {
        cell: 'stripe.blind/during_call:now/none/none/same-again',
        findings: ['two-effects', 'guessed', 'silent-loss', 'receipt-false'],
      },
    ],
  },
  {
    name: 'surfaces-everything',
    about: 'hands to a person what a look would decide',
    lacks: 'evidence-decides',
    finding: 'needless-ambiguity',
    replaces: { means: 'surfaces-everything' },
    cells: [
      {
        cell: 'stripe.lookup/during_call:now/none/none/same-again',
        findings: ['needless-ambiguity'],
      },
    ],
  },
  {
    name: 'budget-in-memory',
    about: 'counts its looks anew in every process',
    lacks: 'budget-durable',
    finding: 'over-budget',
    replaces: { recovery: 'budget-in-memory' },
    cells: [
      {
        cell: 'stripe.lookup/during_call:now+after-lookup/partition-forever@look/none/same-again',
        findings: ['over-budget'],
      },
    ],
  },
];
