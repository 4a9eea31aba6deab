/** Stands in for `reference/gate.ts`: a fence of its own that stands is the effect. */
import type { EffectTarget } from '../../adapters/target.ts';
import type { Gate } from '../gate.ts';
import { createGate as create, type GateOptions } from '../reference/gate.ts';

export * from '../reference/gate.ts';

export function createGate(options: GateOptions): Gate {
  const target: EffectTarget = {
    ...options.target,
    fence: async (call) => {
      const fenced = await options.target.fence?.(call);
      if (fenced === undefined) throw new Error('expected a target with a fence');
      return fenced.kind === 'planted' ? { kind: 'found', entityId: call.key } : fenced;
    },
  };
  return create({ ...options, target });
}
