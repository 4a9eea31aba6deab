/** The mail targets that are broken on purpose. Data alone. */
import type { BrokenTarget } from './broken-target.ts';

export const brokenMailTargets: readonly BrokenTarget[] = [
  {
    name: 'mail-key-not-sent',
    about: 'declares that a mail is sent once under a key, and sends none',
    over: 'email.keyed',
    finding: 'two-effects',
    replaces: { 'email/keyed/key-header': 'mail-key-not-sent' },
    cells: [{ cell: 'during_call:now/none/none/same-again', findings: ['two-effects'] }],
  },
  {
    name: 'mail-window-overstated',
    about: 'declares that the keys of mails are kept for longer than they are',
    over: 'email.keyed',
    finding: 'two-effects',
    replaces: { 'email/keyed/declaration': 'mail-window-overstated' },
    cells: [
      { cell: 'during_call:now/none/outage-in-window/same-again', findings: ['two-effects'] },
    ],
  },
  {
    name: 'mark-after-dot',
    about: 'makes its mark of no return when the final dot has long been sent',
    over: 'email.smtp',
    finding: 'silent-loss',
    replaces: { 'email/smtp/send-once': 'mark-after-dot' },
    cells: [
      {
        cell: 'during_call:now/none/none/same-again',
        findings: ['two-effects', 'guessed', 'silent-loss', 'receipt-false'],
      },
    ],
  },
  {
    name: 'lost-reply-as-refusal',
    about: 'takes a mail whose reply was lost for one that was refused',
    over: 'email.smtp',
    finding: 'silent-loss',
    replaces: { 'email/smtp/classify': 'lost-reply-as-refusal' },
    cells: [
      {
        cell: 'after_commit_before_ack/reply-lost@first-send/none/same-again',
        findings: ['two-effects', 'guessed', 'silent-loss', 'receipt-false'],
      },
    ],
  },
];
