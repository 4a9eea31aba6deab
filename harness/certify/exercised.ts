/**
 * What a history shows to have been exercised: that a capability was relied on in it and held. A
 * capability that no history shows counts as absent, however green everything is. Pure.
 */
import { type Capability, claimedBy } from '../../adapters/reduced-target.ts';
import { type Facts, readFacts } from '../checkers/facts.ts';
import { mutatingRequests, type WireRequest } from '../checkers/requests.ts';
import { eventsOf } from '../checkers/seen.ts';
import type { History } from '../model/history.ts';
import { situationOf } from '../model/situation.ts';
import type { TrialSpec } from '../model/trial.ts';

/** `window`: that the dedupe window is at least as long as declared, as far as a trial can go. */
export type Exercise = Capability | 'window';

/** Of a trial that holds; what broke a promise shows nothing to have held. */
export function exercisedIn(history: History): readonly Exercise[] {
  const { spec } = history;
  const facts = readFacts(spec, history);
  const shown: Readonly<Record<Exercise, (spec: TrialSpec, facts: Facts) => boolean>> = {
    dedupe: repeatMetItsEffect,
    window: repeatMetItsEffectLate,
    lookup: foundByLooking,
    fence: fenceStopped,
    bound: landedWithinBound,
    mark: diedBeforeMark,
    premises: changeRefused,
  };
  const claimed: readonly Exercise[] = [...claimedBy(spec.declaration), 'window'];
  return claimed.filter((exercise) => shown[exercise](spec, facts));
}

/** A second request came to the service when the effect was there, and there is still one. */
function repeatMetItsEffect(spec: TrialSpec, facts: Facts): boolean {
  const { inRecovery, atFirst } = situationOf(spec.declaration, spec.cell);
  if (inRecovery !== 'dedupes' || atFirst !== 'dedupes' || !endedAt(facts, 'O2', 'H', 1)) {
    return false;
  }
  const [first, ...later] = mutatingRequests(facts);
  if (first === undefined) return false;
  const landed = first.replied;
  if (landed === null || !isSuccess(landed.event.status)) return false;
  // A transaction that finds its row there commits nothing: its repeat looks like a question.
  const repeats = later.length > 0 ? later : repeatsThatCommitNothing(facts, first);
  return repeats.some(({ forwarded }) => forwarded !== null && forwarded.n > landed.n);
}

function repeatsThatCommitNothing(facts: Facts, first: WireRequest): readonly WireRequest[] {
  const attempts = facts.observations.O2.outcome?.attempts ?? 0;
  if (attempts < 2) return [];
  return facts.requests.filter(({ incarnation }) => incarnation > first.incarnation);
}

function repeatMetItsEffectLate(spec: TrialSpec, facts: Facts): boolean {
  return spec.cell.world === 'outage-in-window' && repeatMetItsEffect(spec, facts);
}

/** The effect was found, and nothing was sent again. */
function foundByLooking(spec: TrialSpec, facts: Facts): boolean {
  const { inRecovery } = situationOf(spec.declaration, spec.cell);
  const looks = inRecovery === 'fence' || inRecovery === 'bound' || inRecovery === 'unbounded';
  if (!looks || !endedAt(facts, 'O1', 'H', 1)) return false;
  const asked = facts.requests.some(
    ({ whole, replied, incarnation }) =>
      incarnation > 1 && whole?.event.mutating === false && replied !== null,
  );
  return asked && mutatingRequests(facts).length === 1;
}

/** What was to land late met the fence and did not, or the fence found it there. */
function fenceStopped(spec: TrialSpec, facts: Facts): boolean {
  const { inRecovery } = situationOf(spec.declaration, spec.cell);
  if (inRecovery !== 'fence' || !landsLate(spec)) return false;
  return endedAt(facts, 'O1', 'A', 0) || endedAt(facts, 'O1', 'H', 1);
}

function landedWithinBound(spec: TrialSpec, facts: Facts): boolean {
  const { inRecovery } = situationOf(spec.declaration, spec.cell);
  return inRecovery === 'bound' && landsLate(spec) && endedAt(facts, 'O1', 'H', 1);
}

function landsLate({ cell }: TrialSpec): boolean {
  return cell.kill === 'during_call:later';
}

/** Killed after its attempt was durable and before the mark: known to be absent without asking. */
function diedBeforeMark(spec: TrialSpec, facts: Facts): boolean {
  const { inRecovery } = situationOf(spec.declaration, spec.cell);
  return (
    inRecovery === 'neither-marked' &&
    spec.cell.kill === 'after_wal_before_call' &&
    endedAt(facts, 'O1', 'A', 0)
  );
}

/** The harness saw the premises stale for itself, and nothing was sent after that. */
function changeRefused(spec: TrialSpec, facts: Facts): boolean {
  const [change] = eventsOf(facts, 'world');
  return (
    change?.event.premises === 'stale' &&
    !mutatingRequests(facts).some(({ began }) => began.n > change.n) &&
    spec.cell.world !== 'done-by-hand'
  );
}

function endedAt(facts: Facts, name: 'O1' | 'O2', claim: 'H' | 'A', effects: number): boolean {
  const observation = facts.observations[name];
  return observation.claim === claim && observation.effects?.length === effects;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
