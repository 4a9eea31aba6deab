/**
 * The facts a decision to post relies on: what was agreed for the account, what stands under the
 * reference, and the reference's version. In: a posting and a way to read its reference. Out: premises,
 * or whether they still hold. Reads only, and all of it in one answer.
 *
 * The version rises with our own entries too. Each entry says which versions it made, so that ours are
 * left out.
 */
import { isRecord, type Reply } from '../json-reply.ts';
import { checkFacts, type Fact, toPremises, valueFact } from '../premise-facts.ts';
import type { Premise, PremiseCheck } from '../target.ts';
import type { PostRequest } from './request.ts';

/** Rejects when there is no answer. */
export type ReadReference = (posting: PostRequest) => Promise<Reply>;

/** Rejects when the ledger can't be read. */
export async function capturePremises(
  read: ReadReference,
  posting: PostRequest,
): Promise<readonly Premise[]> {
  return toPremises(await readFacts(read, posting, null));
}

export async function checkPremises(
  read: ReadReference,
  posting: PostRequest,
  check: { readonly premises: readonly Premise[]; readonly ownKey: string },
): Promise<PremiseCheck> {
  if (check.premises.length === 0) return { kind: 'hold' };
  try {
    return checkFacts(await readFacts(read, posting, check.ownKey), check.premises);
  } catch (error) {
    return {
      kind: 'could-not-tell',
      detail: `The reference could not be read: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

/** `ownKey` stamps what is ours; null: nothing is yet. */
async function readFacts(
  read: ReadReference,
  posting: PostRequest,
  ownKey: string | null,
): Promise<readonly Fact[]> {
  const { account, reference, currency } = posting;
  const place = `${account}/${reference}`;
  const { limitMinor, version, entries } = readState(await read(posting), posting);
  const comparable = entries.filter((entry) => entry.currency === currency);
  const others = comparable.filter(({ id }) => id !== ownKey).filter(isStanding);
  const ours = entries.filter(({ id }) => id === ownKey);
  return [
    valueFact(`${account}.limitMinor`, limitMinor),
    valueFact(`${place}.postedMinor`, sumOf(comparable.filter(isStanding)), {
      without: sumOf(others),
      with: sumOf(others) + sumOf(ours),
    }),
    versionFact(
      `${place}.version`,
      version,
      ours.flatMap(({ versions }) => versions),
    ),
  ];
}

function versionFact(fact: string, version: number, ours: readonly number[]): Fact {
  return {
    kind: 'version-unchanged',
    fact,
    value: version,
    compare: (captured) => {
      if (typeof captured !== 'number') {
        return { kind: 'could-not-tell', why: 'expected the number of a version' };
      }
      if (version < captured) {
        return { kind: 'could-not-tell', why: `version ${version}, which was read, is older` };
      }
      const found = version - ours.filter((made) => made > captured).length;
      return found === captured ? { kind: 'same' } : { kind: 'changed', found };
    },
  };
}

interface EntryState {
  readonly id: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly reversed: boolean;
  readonly versions: readonly number[];
}

interface ReferenceState {
  readonly limitMinor: number;
  readonly version: number;
  readonly entries: readonly EntryState[];
}

/** Throws for another reference's answer, one that goes on, and anything else that is not whole. */
function readState({ status, body }: Reply, { account, reference }: PostRequest): ReferenceState {
  if (status === 200 && isRecord(body) && body.account === account) {
    const { limitMinor, version, entries } = body;
    if (
      body.reference === reference &&
      body.hasMore === false &&
      isInteger(limitMinor) &&
      isInteger(version) &&
      Array.isArray(entries) &&
      entries.every(isEntryState)
    ) {
      return { limitMinor, version, entries };
    }
  }
  throw new Error(`expected ${account}/${reference}, came status ${status} without it`);
}

function isEntryState(value: unknown): value is EntryState {
  if (!isRecord(value)) return false;
  const { id, amountMinor, currency, reversed, versions } = value;
  return (
    typeof id === 'string' &&
    isInteger(amountMinor) &&
    typeof currency === 'string' &&
    typeof reversed === 'boolean' &&
    Array.isArray(versions) &&
    versions.every(isInteger)
  );
}

function isStanding({ reversed }: EntryState): boolean {
  return !reversed;
}

function sumOf(entries: readonly EntryState[]): number {
  return entries.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
