/** Draws `docs/gate-states.md` from the state machine's data. */
import { absorbingStates, edges, stateMeanings, states } from './states.ts';

export function renderStatesPage(): string {
  return [
    '# The states of an intent',
    '',
    'Drawn from `gate/reference/states.ts`; a test compares this page with it.',
    '',
    '```mermaid',
    'stateDiagram-v2',
    '  [*] --> PROPOSED',
    ...edges.map((edge) => `  ${edge.from} --> ${edge.to}: ${edge.event}`),
    ...absorbingStates.map((state) => `  ${state} --> [*]`),
    '```',
    '',
    '| state | meaning |',
    '|---|---|',
    ...states.map(
      (state) =>
        `| ${state}${absorbingStates.includes(state) ? ' (absorbing)' : ''} | ${stateMeanings[state]} |`,
    ),
    '',
    '| from | event | to | meaning |',
    '|---|---|---|---|',
    ...edges.map((edge) => `| ${edge.from} | ${edge.event} | ${edge.to} | ${edge.meaning} |`),
    '',
    'AMBIGUOUS absorbs for code: only a person ends it. After a first attempt the only ways back to',
    'AUTHORIZED are from CONFIRMED_NOT_APPLIED and, for a resend under the same key, from UNKNOWN.',
    '',
  ].join('\n');
}
