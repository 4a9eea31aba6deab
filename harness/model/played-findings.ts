/**
 * Which promises a played trial breaks: what the gate says beside what is there, held against what a
 * sound gate must end at. It states the promises once more, over a play instead of a history.
 */
import type { Claim, Ending, Expectation } from './expectation.ts';
import { type FindingName, findingNames } from './findings.ts';

export interface PlayedObservation {
  readonly claim: Claim;
  /** The effects of the decision that are there. */
  readonly effects: number;
  /** Whether the effect it names is somebody else's. */
  readonly namesForeign: boolean;
  /** Whether an answer of the service itself proved an effect to somebody who lived to record it. */
  readonly proven: boolean;
}

export interface PlayedTrial {
  readonly o1: PlayedObservation;
  readonly o2: PlayedObservation;
  /** Null where nobody asks for a second decision. */
  readonly second: PlayedObservation | null;
  /** Whether somebody who asked for another substance, or under another reason, was told that it happened. */
  readonly toldOfAnother: boolean;
  /** What the world had ended, and whether a call left all the same. */
  readonly ends: 'nothing' | 'authority' | 'premises';
  readonly sentAfterChange: boolean;
}

/** In the order of the table of findings. An expectation that can't be met demands nothing. */
export function findingsOfPlay(
  trial: PlayedTrial,
  expectation: Expectation,
): readonly FindingName[] {
  const { o1, o2, second, ends } = trial;
  const [first, last, other, together] =
    expectation.kind === 'reachable'
      ? [expectation.o1, expectation.o2, expectation.second, expectation.together]
      : [[], [], [], null];
  const found = new Set<FindingName>([
    ...brokenAt(o1, first, ends),
    ...brokenAt(o2, last, ends),
    ...(second === null ? [] : brokenAt(second, other, ends)),
  ]);
  const losesEffect =
    lacksEffect(o2, last) ||
    (second !== null && lacksEffect(second, other)) ||
    (together !== null && countOf(trial) < together.least);
  if (losesEffect) found.add('lost-effect');
  if (together !== null && countOf(trial) > together.most) found.add('over-cap');
  if (trial.toldOfAnother) found.add('wrong-substance');
  if (trial.sentAfterChange && ends === 'authority') found.add('dead-authority');
  if (trial.sentAfterChange && ends === 'premises') found.add('stale-premise');
  const isSettled = o1.claim === 'H' || o1.claim === 'R';
  if (isSettled && o2.claim !== o1.claim) found.add('settled-changed');
  return findingNames.filter((name) => found.has(name));
}

function brokenAt(
  { claim, effects, namesForeign, proven }: PlayedObservation,
  allowed: readonly Ending[],
  ends: PlayedTrial['ends'],
): readonly FindingName[] {
  const found: FindingName[] = [];
  const allows = (wanted: Claim) => allowed.some((ending) => ending.claim === wanted);
  const onlyUnknown = allowed.length > 0 && allowed.every((ending) => ending.claim === 'U');
  if (effects > 1) found.push('two-effects');
  switch (claim) {
    case 'H':
      if (effects === 0) found.push('phantom');
      else if (namesForeign) found.push('wrong-entity');
      if (onlyUnknown && !proven) found.push('guessed');
      break;
    case 'A':
    case 'R':
      if (effects > 0) found.push('silent-loss');
      if (onlyUnknown) found.push('guessed');
      // Where the world has ended what it stood on, a refusal is not without a need.
      if (claim === 'R' && ends === 'nothing' && allowed.length > 0 && !allows('R')) {
        found.push('needless-refusal');
      }
      break;
    case 'U':
      if (allowed.length > 0 && !allows('U')) found.push('needless-ambiguity');
      break;
    case 'W':
      if (!allows('W')) found.push('unknown-after-recovery');
      break;
    default:
      claim satisfies never;
  }
  return found;
}

function lacksEffect({ effects }: PlayedObservation, allowed: readonly Ending[]): boolean {
  return effects === 0 && allowed.length > 0 && allowed.every((ending) => ending.effects > 0);
}

function countOf({ o2, second }: PlayedTrial): number {
  return o2.effects + (second?.effects ?? 0);
}
