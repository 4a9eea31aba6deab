/** The journal can see: an effect the harness made itself was read back from it. */
import type { Checker } from './checker.ts';
import { eventsOf } from './seen.ts';

export const controlMissed: Checker = {
  finding: 'control-missed',
  check: (_spec, facts) => {
    const controls = eventsOf(facts, 'control');
    if (controls.length === 0) {
      const message = 'expected an effect of the harness itself in the journal, none was made';
      return [{ finding: 'control-missed', message, events: [] }];
    }
    return controls
      .filter(({ event }) => !event.readBack)
      .map(({ n, event }) => ({
        finding: 'control-missed',
        message: `expected the harness's effect ${event.entityId ?? '(not made)'} to be read back from the journal: ${event.detail}`,
        events: [n],
      }));
  },
};
