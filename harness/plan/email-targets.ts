/** The mail targets of the catalogue. In: how an entry of an adapter is made. Out: the entries. */
import type { JsonObject } from '../../adapters/target.ts';
import type { TargetEntry } from './catalogue.ts';

type TargetsOf = (
  adapter: string,
) => (
  name: string,
  about: string,
  targetOptions: JsonObject,
  railOptions: JsonObject,
) => TargetEntry;

export function emailTargets(targetsOf: TargetsOf): readonly TargetEntry[] {
  return [keyedMail(targetsOf)];
}

function keyedMail(targetsOf: TargetsOf): TargetEntry {
  return targetsOf('email/keyed')(
    'email.keyed',
    'mail through an HTTP service that keeps idempotency keys for a day',
    {},
    {},
  );
}
