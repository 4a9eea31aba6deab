/**
 * The history holds everything a verdict needs. What a subject withheld by hanging after the kill is
 * no gap of the harness: from that phase on its missing answers, the unrest it left on the wire and a
 * trial that could not go on without it are held against it, not against the evidence.
 */
import { callerFacts } from '../model/caller-table.ts';
import type { HarnessErrorCode } from '../model/errors.ts';
import type { Finding } from '../model/findings.ts';
import { expectLacking } from '../model/lacking.ts';
import type { TrialSpec } from '../model/trial.ts';
import type { Checker } from './checker.ts';
import type { Facts } from './facts.ts';
import { hangsAfterKill } from './hangs.ts';
import { eventsOf, eventsOfIncarnation } from './seen.ts';
import { readStanding } from './standing-still.ts';

export const evidenceCut: Checker = {
  finding: 'evidence-cut',
  check: (spec, facts) => [
    ...cutHistory(facts),
    ...impossibleCell(spec),
    ...harnessErrors(facts),
    ...undrained(spec, facts),
    ...unmetByRival(spec, facts),
    ...unaskedSecond(spec, facts),
    ...(['O1', 'O2'] as const)
      .filter((name) => !hungBy(facts, name))
      .flatMap((name) => [...unsettled(facts, name), ...unobserved(facts, name)]),
  ],
};

function cutHistory(facts: Facts): readonly Finding[] {
  return facts.complete
    ? []
    : [cut(`the history is incomplete: ${facts.gap ?? 'no reason given'}`)];
}

/** A gate that lacks a rule can reach cells a sound one can't; there the table demands nothing of it. */
function impossibleCell(spec: TrialSpec): readonly Finding[] {
  // What was broken on purpose is tried in cells that a sound one reaches, whatever it lacks.
  const lacks = spec.expected === undefined ? spec.gate.lacks : [];
  const reached = expectLacking(spec.declaration, spec.cell, lacks);
  return reached.kind === 'reachable'
    ? []
    : [cut(`nothing can be expected of this cell: ${reached.why}`)];
}

function harnessErrors(facts: Facts): readonly Finding[] {
  const hung = hangsAfterKill(facts).length > 0;
  return eventsOf(facts, 'harness-error')
    .filter(({ event }) => !(hung && subjectsOwnErrors.includes(event.code)))
    .map(({ n, event }) => cut(`the harness could not go on: ${event.code}: ${event.message}`, n));
}

/** What stops a trial because the subject hung, or never came back to life. */
const subjectsOwnErrors: readonly string[] = [
  'subject-not-ready',
  'subject-silent',
  'subject-died',
] satisfies HarnessErrorCode[];

/** A killed process's connections must be gone before recovery, except where a request is to land late. */
function undrained(spec: TrialSpec, facts: Facts): readonly Finding[] {
  const landsLate =
    spec.cell.kill === 'during_call:later' ||
    spec.cell.kill === 'during_call:running' ||
    spec.cell.fault.fault === 'late-apply';
  if (landsLate) return [];
  const killed = new Set(eventsOf(facts, 'kill-sent').map(({ event }) => event.incarnation));
  return [...killed].flatMap((incarnation): Finding[] => {
    const opened = eventsOfIncarnation(facts, 'connection', incarnation).some(
      ({ event }) => event.what === 'opened',
    );
    const drained = eventsOfIncarnation(facts, 'drained', incarnation);
    const complete = drained.length > 0 && drained.every(({ event }) => event.complete);
    if (!opened || complete) return [];
    const message = `expected the connections of killed incarnation ${incarnation} to be drained, they were not`;
    return [cut(message, ...drained.map(({ n }) => n))];
  });
}

/** Two recoveries were done, and the second from beginning to end while the first stood at its point. */
function unmetByRival(spec: TrialSpec, facts: Facts): readonly Finding[] {
  if (spec.cell.rivalAt === undefined || hangsAfterKill(facts).length > 0) return [];
  const standing = readStanding(spec, facts);
  if (standing === null) return [cut(`nobody stood still at ${spec.cell.rivalAt} in recovery`)];
  const { incarnation, reached, beside } = standing;
  const go = eventsOfIncarnation(facts, 'sent', incarnation).find(
    ({ n, event }) => n > reached.n && event.message.type === 'go',
  );
  if (go === undefined) return [cut(`incarnation ${incarnation} was never let go on`, reached.n)];
  const recovers = facts.invitations.filter(({ kind }) => kind === 'recover');
  const first = recovers.some(
    ({ incarnation: own, answered }) =>
      own === incarnation && answered !== null && answered.n > go.n,
  );
  const rival = recovers.some(
    ({ incarnation: other, answered }) =>
      beside.includes(other) && answered !== null && answered.n < go.n,
  );
  return [
    ...(first ? [] : [cut(`the recovery that stood at its point was never done`, reached.n, go.n)]),
    ...(rival ? [] : [cut(`no second recovery was done while the first stood`, reached.n, go.n)]),
  ];
}

/** Where two decisions were asked for, both have to be asked about. */
function unaskedSecond(spec: TrialSpec, facts: Facts): readonly Finding[] {
  const { asked, stage } = facts.observations.second;
  const isDue =
    callerFacts(spec.cell.caller).second !== 'none' && !hungBy(facts, 'O2') && canBeAsked(facts);
  return isDue && !asked && stage !== null
    ? [cut('the subject was not asked about the second decision')]
    : [];
}

function unsettled(facts: Facts, name: 'O1' | 'O2'): readonly Finding[] {
  const settled = eventsOf(facts, 'settled').filter(({ event }) => event.observation === name);
  if (settled.length === 0)
    return [cut(`nobody waited for wire and rail to fall silent at ${name}`)];
  return settled
    .filter(({ event }) => !event.complete)
    .map(({ n, event }) => {
      const rail = event.railIdle ? 'idle' : 'at work';
      const message = `expected wire and rail to fall silent before ${name}, ${event.openOnWire} request(s) were open and the rail ${rail}`;
      return cut(message, n);
    });
}

function unobserved(facts: Facts, name: 'O1' | 'O2'): readonly Finding[] {
  const { asked, effects } = facts.observations[name];
  return [
    ...(asked || !canBeAsked(facts) ? [] : [cut(`the subject was not asked at ${name}`)]),
    ...(effects === null ? [cut(`the journal was not read at ${name}`)] : []),
  ];
}

/** One that says it can't be asked is judged by its effects and by what it told its callers. */
function canBeAsked(facts: Facts): boolean {
  const ready = eventsOf(facts, 'said').flatMap(({ event }) =>
    event.message.type === 'ready' ? [event.message] : [],
  );
  return ready.length === 0 || ready.some(({ capabilities }) => capabilities.ask !== false);
}

function hungBy(facts: Facts, name: 'O1' | 'O2'): boolean {
  return hangsAfterKill(facts).some(
    (seen) => seen.stage <= (facts.observations[name].stage ?? Number.POSITIVE_INFINITY),
  );
}

function cut(message: string, ...events: readonly number[]): Finding {
  return { finding: 'evidence-cut', message, events };
}
