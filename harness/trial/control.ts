/**
 * The positive control: before the subject starts, the harness makes an effect itself, past the
 * subject's wire and with another credential, and reads it back. A journal that does not show it can
 * acquit nobody.
 */
import type { RailNamespace } from '../../adapters/rail.ts';
import type { ApplyResult, EffectTarget, Endpoint } from '../../adapters/target.ts';
import type { ObservedEvent } from '../model/history.ts';
import type { TrialSpec } from '../model/trial.ts';
import { openWire } from '../wire/wire.ts';
import type { LoadedTarget } from './lab.ts';

const controlTries = 3;

type ControlEvent = Extract<ObservedEvent, { type: 'control' }>;

type ControlledTarget = Pick<LoadedTarget, 'createTarget'>;

/** What of a trial a control is made from. */
export interface ControlSpec extends Pick<TrialSpec, 'seed'> {
  readonly draws: Pick<TrialSpec['draws'], 'examples'>;
  readonly target: Pick<TrialSpec['target'], 'options'>;
}

export interface Control {
  readonly event: ControlEvent;
  /** The service's whole reply to it: a true answer to somebody else's request. */
  readonly reply: Buffer | null;
}

/** `recordReply` sends it over a wire of its own that keeps the bytes of the reply to the effect. */
export async function makeControl(
  target: ControlledTarget,
  namespace: RailNamespace,
  spec: ControlSpec,
  recordReply: boolean,
): Promise<Control> {
  if (!recordReply) {
    return { event: await tryControl(target, namespace, spec, namespace.endpoint), reply: null };
  }
  let reply: Buffer | null = null;
  // A target may read what the answer to an effect leaves out; what it reads is nobody's effect.
  let isEffect = false;
  const wire = openWire({
    upstream: namespace.endpoint,
    decisions: {
      connection: () => 'accept',
      request: ({ mutating }) => {
        isEffect = mutating;
        return { upstream: 'forward', reply: 'deliver' };
      },
    },
    observe: () => undefined,
    tap: (bytes) => {
      if (isEffect) reply = bytes;
    },
  });
  try {
    const event = await tryControl(target, namespace, spec, await wire.listen(1));
    return { event, reply };
  } finally {
    await wire.close();
  }
}

async function tryControl(
  target: ControlledTarget,
  namespace: RailNamespace,
  spec: ControlSpec,
  endpoint: Endpoint,
): Promise<ControlEvent> {
  const hand = target.createTarget({
    endpoint,
    credentials: namespace.personCredentials ?? namespace.credentials,
    options: spec.target.options,
    now: Date.now,
  });
  try {
    const result = await makeOnce(hand, namespace, spec);
    if (result.kind !== 'landed') {
      return missed(null, `the control was not made: ${JSON.stringify(result)}`);
    }
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

/**
 * A machine that is short of breath may keep it from being answered in time: then another is made under
 * another key, until one is answered. Which of them took effect is the journal's to say. Where there can
 * be only one, the next try finds the last by its key.
 */
async function makeOnce(
  hand: EffectTarget,
  namespace: RailNamespace,
  spec: ControlSpec,
): Promise<ApplyResult> {
  const request = namespace.examples(spec.draws.examples).lookAlike;
  const key = `control-${spec.seed}`;
  for (let tries = 1; ; tries += 1) {
    const result = await hand.apply({
      key: tries === 1 || hand.declaration.onceByState ? key : `${key}-${tries}`,
      request,
      attempt: 1,
      // The harness remembers nothing over a crash, so a mark of its own would prove nothing.
      markNoReturn: () => undefined,
    });
    if (result.kind !== 'unknown' || tries === controlTries) return result;
  }
}

function missed(entityId: string | null, detail: string): ControlEvent {
  return { type: 'control', entityId, readBack: false, detail };
}
