/** Stands in for `reference/gate.ts`: whatever effect an answer names is ours. */
import type { EffectTarget } from '../../adapters/target.ts';
import type { Gate } from '../gate.ts';
import { createGate as create, type GateOptions } from '../reference/gate.ts';

export * from '../reference/gate.ts';

export function createGate(options: GateOptions): Gate {
  const target: EffectTarget = {
    ...options.target,
    apply: async (call) => {
      const result = await options.target.apply(call);
      return result.kind === 'landed' ? { ...result, stamp: call.key } : result;
    },
  };
  return create({ ...options, target });
}
