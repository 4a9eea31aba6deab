/** Stands in for `reference/gate.ts`: an effect of its own changes the facts it was decided on. */
import type { EffectTarget } from '../../adapters/target.ts';
import type { Gate } from '../gate.ts';
import { createGate as create, type GateOptions } from '../reference/gate.ts';

export * from '../reference/gate.ts';

export function createGate(options: GateOptions): Gate {
  const target: EffectTarget = {
    ...options.target,
    validate: (request, premises) => options.target.validate(request, premises, 'nobody'),
  };
  return create({ ...options, target });
}
