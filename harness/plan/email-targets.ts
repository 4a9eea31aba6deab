/** The mail targets that can be named in a matrix. */
import type { JsonObject } from '../../adapters/target.ts';
import type { TargetEntry } from './catalogue-entry.ts';

/** How the entries of one adapter are made. */
export type MakeEntry = (
  name: string,
  about: string,
  targetOptions: JsonObject,
  railOptions: JsonObject,
) => TargetEntry;

/**
 * The server greets after 100 ms, which is its way of telling who talks too soon; half a dozen round
 * trips follow, which a busy machine needs longer for.
 */
const smtpClientTimeoutMs = 600;

/** `smtp` makes entries of the adapter of that name. */
export function smtpTargets(smtp: MakeEntry): readonly TargetEntry[] {
  return [
    smtp(
      'email.smtp',
      'mails over SMTP that can’t be asked about, with a mark of no return before the final dot',
      { clientTimeoutMs: smtpClientTimeoutMs, requireTls: false },
      {},
    ),
  ];
}

/** `keyed` makes entries of the adapter of that name. */
export function keyedTargets(keyed: MakeEntry): readonly TargetEntry[] {
  return [
    keyed(
      'email.keyed',
      'mails through an HTTP service that keeps idempotency keys for a day',
      {},
      {},
    ),
  ];
}
