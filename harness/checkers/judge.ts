/**
 * The verdict on one trial, from its spec and history alone. Pure: the same input gives the same
 * verdict, nothing of it is changed, and a checker that fails makes the trial inconclusive, never
 * green.
 */
import {
  type Finding,
  type FindingName,
  findingNames,
  isMiss,
  missNames,
} from '../model/findings.ts';
import type { History } from '../model/history.ts';
import type { TrialSpec } from '../model/trial.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Checker } from './checker.ts';
import { type Facts, readFacts } from './facts.ts';
import { checkers } from './index.ts';
import { endingNotes, misbehaviourNotes } from './notes.ts';

/** `expected`: the findings that follow from the rules the gate is known to lack; empty for a sound one. */
export function judge(
  spec: TrialSpec,
  history: History,
  expected: readonly FindingName[],
): Verdict {
  return judgeWith(checkers, { spec, history, expected });
}

/** `judge` with other checkers than the registry's. */
export function judgeWith(
  registry: readonly Checker[],
  { spec, history, expected }: JudgeInput,
): Verdict {
  const facts = readFacts(spec, history);
  const checked = registry.map((checker) => runChecker(checker, spec, facts));
  const findings = checked
    .flatMap((result) => result.findings)
    .concat(foreignHistory(spec, history))
    .toSorted(compareFindings);
  const missed = findings.some(({ finding }) => isMiss(finding));
  return {
    verdict: missed ? 'inconclusive' : findings.length > 0 ? 'violated' : 'holds',
    findings,
    notes: [
      ...checked.flatMap((result) => result.notes),
      ...misbehaviourNotes(facts),
      ...(findings.length === 0 ? endingNotes(spec, facts) : []),
    ].toSorted(compareTexts),
    meetsExpectation: !missed && namesAre(findings, expected),
  };
}

interface JudgeInput {
  readonly spec: TrialSpec;
  readonly history: History;
  readonly expected: readonly FindingName[];
}

function runChecker(
  checker: Checker,
  spec: TrialSpec,
  facts: Facts,
): { readonly findings: readonly Finding[]; readonly notes: readonly string[] } {
  try {
    return { findings: checker.check(spec, facts), notes: checker.notes?.(spec, facts) ?? [] };
  } catch (error) {
    const message = `the checker of ${checker.finding} failed, which is Killpoint's own fault: ${String(error)}`;
    return { findings: [{ finding: 'evidence-cut', message, events: [] }], notes: [] };
  }
}

/** A history is judged by its own trial's spec or not at all. */
function foreignHistory(spec: TrialSpec, history: History): readonly Finding[] {
  if (history.spec.id === spec.id && history.spec.seed === spec.seed) return [];
  const message = `expected the history of ${spec.id} with seed ${spec.seed}, got that of ${history.spec.id} with seed ${history.spec.seed}`;
  return [{ finding: 'evidence-cut', message, events: [] }];
}

const order: readonly string[] = [...findingNames, ...missNames];

/** By the table of findings, then by message: never by event numbers, which depend on interleaving. */
function compareFindings(left: Finding, right: Finding): number {
  const byName = order.indexOf(left.finding) - order.indexOf(right.finding);
  return byName === 0 ? compareTexts(left.message, right.message) : byName;
}

function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function namesAre(findings: readonly Finding[], expected: readonly FindingName[]): boolean {
  const came = new Set<string>(findings.map(({ finding }) => finding));
  const wanted = new Set<string>(expected);
  return came.size === wanted.size && [...came].every((name) => wanted.has(name));
}
