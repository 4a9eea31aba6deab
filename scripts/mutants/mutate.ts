/**
 * The mutants of the reference gate: every legal edge of its state machine removed, every other one
 * added, every guard of its recovery negated. Pure: source text in, source texts out.
 */
import ts from 'typescript';
import { edges, gateEvents, type State, states } from '../../gate/reference/states.ts';

export interface Mutant {
  /** Stable as long as the mutated line stands: `recovery.ts: !(row.looks >= limit)`. */
  readonly id: string;
  readonly kind: 'edge-removed' | 'edge-added' | 'guard-negated';
  /** The mutated module, by its file name in `gate/reference/`. */
  readonly file: string;
  readonly text: string;
}

/** The module the edges stand in, and the place in it where a mutant steps in. */
export const statesFile = 'states.ts';
const switchBegins = '): State {\n  switch (state) {';

/** Throws where the text no longer has the place: a mutant that changes nothing would survive. */
export function edgeMutants(text: string): readonly Mutant[] {
  return states.flatMap((from) =>
    gateEvents.map((event): Mutant => {
      const legal = edges.find((edge) => edge.from === from && edge.event === event);
      const when = `if (state === '${from}' && event === '${event}')`;
      return legal === undefined
        ? {
            id: `${statesFile}: ${from} takes ${event} to ${usualEnd(event)}`,
            kind: 'edge-added',
            file: statesFile,
            text: stepIn(text, `${when} return '${usualEnd(event)}';`),
          }
        : {
            id: `${statesFile}: ${from} no longer takes ${event}`,
            kind: 'edge-removed',
            file: statesFile,
            text: stepIn(text, `${when} throw new IllegalTransitionError(state, event);`),
          };
    }),
  );
}

/** Conditions of `if`, `?:`, `while` and the middle of `for`. */
export function guardMutants(file: string, text: string): readonly Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const conditions: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    const condition = conditionOf(node);
    if (condition !== undefined) conditions.push(condition);
    ts.forEachChild(node, visit);
  };
  visit(source);
  const seen = new Map<string, number>();
  return conditions.map((condition) => {
    const written = condition.getText(source);
    const name = `${file}: !(${written.replaceAll(/\s+/g, ' ')})`;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    const [before, after] = [text.slice(0, condition.getStart(source)), text.slice(condition.end)];
    return {
      id: times === 1 ? name : `${name} #${times}`,
      kind: 'guard-negated',
      file,
      text: `${before}!(${written})${after}`,
    };
  });
}

function conditionOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return node.expression;
  if (ts.isConditionalExpression(node) || ts.isForStatement(node)) return node.condition;
  return undefined;
}

function usualEnd(event: string): State {
  const edge = edges.find((candidate) => candidate.event === event);
  if (edge === undefined) throw new Error(`expected an edge that takes ${event}, there is none`);
  return edge.to;
}

function stepIn(text: string, statement: string): string {
  const at = text.indexOf(switchBegins);
  if (at === -1) {
    throw new Error(
      `expected ${statesFile} to hold "${switchBegins}", it does not; mend the script`,
    );
  }
  const after = at + switchBegins.indexOf('\n');
  return `${text.slice(0, after)}\n  ${statement}${text.slice(after)}`;
}
