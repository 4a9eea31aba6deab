import { describe, expect, it } from 'vitest';
import { judge } from './judge.ts';
import { type PlantedTrial, plantSound, toHistory } from './plant.ts';
import { alter, another, insertBefore, without } from './plant-change.ts';
import { exchange } from './plant-wire.ts';

const sound = plantSound({ tier: 'blind', kill: 'during_call:now' });

/** The same trial of a subject that says it can't be asked. */
function unasked(trial: PlantedTrial): PlantedTrial {
  const said = alter(trial, 'said', (event) =>
    event.message.type === 'ready'
      ? {
          ...event,
          message: {
            ...event.message,
            capabilities: { ...event.message.capabilities, ask: false },
          },
        }
      : event,
  );
  return without(said, 'observed');
}

const findingsOf = (trial: PlantedTrial) =>
  judge(trial.spec, toHistory(trial), []).findings.map(({ finding }) => finding);

describe('a subject that can’t be asked', () => {
  it('is not blamed for what it was not asked', () => {
    expect(findingsOf(unasked(sound))).toEqual([]);
  });

  it('that could have been and was not proves nothing', () => {
    expect(findingsOf(without(sound, 'observed'))).toContain('evidence-cut');
  });

  it('is condemned by its effects all the same', () => {
    const twice = insertBefore(
      sound,
      (event) => event.type === 'settled' && event.observation === 'O2',
      exchange(another(sound, false), 2, 'none'),
    );
    const effectsTwice = alter(twice, 'journal', (event) => ({
      ...event,
      effects: event.effects.flatMap((effect) =>
        effect.actor === 'subject'
          ? [effect, { ...effect, entityId: `${effect.entityId}-2` }]
          : [effect],
      ),
    }));
    expect(findingsOf(unasked(effectsTwice))).toContain('two-effects');
  });
});
