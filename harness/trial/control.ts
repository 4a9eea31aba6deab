/**
 * The positive control: before the subject starts, the harness makes an effect itself, past the wire
 * and with another credential, and reads it back. A journal that does not show it can acquit nobody.
 */
import type { RailNamespace } from '../../adapters/rail.ts';
import type { ObservedEvent } from '../model/history.ts';
import type { TrialSpec } from '../model/trial.ts';
import type { LoadedTarget } from './lab.ts';

type Control = Extract<ObservedEvent, { type: 'control' }>;

export async function makeControl(
  target: LoadedTarget,
  namespace: RailNamespace,
  spec: TrialSpec,
): Promise<Control> {
  const hand = target.createTarget({
    endpoint: namespace.endpoint,
    credentials: namespace.personCredentials ?? namespace.credentials,
    options: spec.target.options,
    now: Date.now,
  });
  try {
    const result = await hand.apply({
      key: `control-${spec.seed}`,
      request: namespace.examples(spec.draws.examples).lookAlike,
      attempt: 1,
    });
    if (result.kind !== 'landed')
      return missed(null, `the control was not made: ${JSON.stringify(result)}`);
    const effects = await namespace.effects();
    const readBack = effects.some((effect) => effect.entityId === result.entityId);
    return readBack
      ? { type: 'control', entityId: result.entityId, readBack, detail: 'made and read back' }
      : missed(
          result.entityId,
          `made ${result.entityId}, and the journal's ${effects.length} effects do not hold it`,
        );
  } finally {
    await hand.close?.();
  }
}

function missed(entityId: string | null, detail: string): Control {
  return { type: 'control', entityId, readBack: false, detail };
}
