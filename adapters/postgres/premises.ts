/**
 * The facts a decision to credit relies on: how the account stands, what others have credited for the
 * same reference, and that none of this changed in between. In: a request and a session. Out: premises,
 * or whether they still hold. One statement, hence one moment.
 */
import { InvalidRequestError, type JsonValue, type Premise, type PremiseCheck } from '../target.ts';
import type { Session } from './connection.ts';
import type { CreditRequest } from './request.ts';

/** Rejects when the facts can't be read. Throws InvalidRequestError when there is no such account. */
export async function capturePremises(
  session: Session,
  credit: CreditRequest,
): Promise<readonly Premise[]> {
  const premises = await readPremises(session, credit, null);
  if (premises === null) {
    throw new InvalidRequestError(
      `Request to credit: account must be one the database has; came ${credit.account}. Pass one of the table accounts.`,
    );
  }
  return premises;
}

export interface Check {
  readonly premises: readonly Premise[];
  /** Credits under it, and what became of them, count as no change. */
  readonly ownKey: string;
}

/** Rejects when the facts can't be read. */
export async function checkPremises(
  session: Session,
  credit: CreditRequest,
  { premises, ownKey }: Check,
): Promise<PremiseCheck> {
  const now = await readPremises(session, credit, ownKey);
  for (const { kind, fact, value } of premises) {
    if (now === null) return { kind: 'stale', fact, expected: value, found: null };
    const found = now.find((other) => other.kind === kind && other.fact === fact);
    if (found === undefined) {
      const known = now.map((other) => `${other.kind} of ${other.fact}`).join(', ');
      const detail = `This target can check ${known}; asked was ${kind} of ${fact}. Use the premises it captured.`;
      return { kind: 'could-not-tell', detail };
    }
    if (found.value !== value) return { kind: 'stale', fact, expected: value, found: found.value };
  }
  return { kind: 'hold' };
}

/** Null when there is no such account. */
async function readPremises(
  session: Session,
  { account, reference }: CreditRequest,
  ownKey: string | null,
): Promise<readonly Premise[] | null> {
  const { rows } = await session.send(factsSql, [account, reference, ownKey ?? noKey]);
  const [facts] = rows;
  if (facts?.standby !== 'f') {
    throw new Error('expected the primary, came a server in recovery; connect to the primary');
  }
  if (facts.version === null) return null;
  const equals = (fact: string, value: JsonValue): Premise => ({
    kind: 'value-equals',
    fact,
    value,
  });
  const subject = `${account}/${reference}`;
  return [
    equals(`${account}.standing`, facts.standing ?? null),
    equals(`${account}.limitMinor`, facts.limit_minor ?? null),
    // A sum has more digits than a number of JavaScript holds, so it stays a text.
    equals(`${subject}.creditedMinor`, facts.credited_minor ?? null),
    {
      kind: 'version-unchanged',
      fact: `${subject}.version`,
      value: `${facts.version}/${facts.changes}`,
    },
  ];
}

/**
 * The version has two parts: the account's own, and how often the reference's credits were changed by
 * others. Counting is what makes it safe: a change committed late has an old number, and still counts.
 */
const factsSql =
  'SELECT pg_is_in_recovery() AS standby,standing,limit_minor,version,(SELECT coalesce(sum(amount_minor),0) FROM credits WHERE account=$1 AND reference=$2 AND effect_key IS DISTINCT FROM $3) AS credited_minor,(SELECT count(*) FROM credit_changes WHERE account=$1 AND reference=$2 AND effect_key IS DISTINCT FROM $3) AS changes FROM (VALUES (0)) AS asked LEFT JOIN accounts ON account=$1';

/** A key has at least one character, so that nothing is left out. */
const noKey = '';
