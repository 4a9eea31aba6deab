/** Stands in for `reference/states.ts`: what is settled may be opened again. */
import { type GateEvent, transition as legal, type State } from '../reference/states.ts';

export * from '../reference/states.ts';

export function transition(state: State, event: GateEvent): State {
  return state === 'APPLIED' && event === 'reopen' ? 'UNKNOWN' : legal(state, event);
}
