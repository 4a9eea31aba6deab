/**
 * A target that claims less than it was written to claim: the same code behind a weaker declaration, so
 * that it can be shown what is left of it. Nothing else is changed.
 */
import type { CreateTarget, EffectTarget, TargetDeclaration } from './target.ts';

/** What a declaration can claim and be wrong about. Without the lookup there is no fence and no bound. */
export const capabilities = ['dedupe', 'fence', 'bound', 'lookup', 'mark', 'premises'] as const;
export type Capability = (typeof capabilities)[number];

/** What a declaration claims, in the order of `capabilities`. */
export function claimedBy(declaration: TargetDeclaration): readonly Capability[] {
  const { dedupe, lookup, absence, noReturnMark, premises } = declaration;
  const claims: Readonly<Record<Capability, boolean>> = {
    dedupe: dedupe !== null,
    fence: absence === 'fence',
    bound: typeof absence === 'object',
    lookup: lookup !== null,
    mark: noReturnMark,
    premises: premises.length > 0,
  };
  return capabilities.filter((capability) => claims[capability]);
}

export function reduceDeclaration(
  declaration: TargetDeclaration,
  without: readonly Capability[],
): TargetDeclaration {
  const drops = (capability: Capability) => without.includes(capability);
  const blind = drops('lookup');
  return {
    ...declaration,
    ...(drops('dedupe') ? { dedupe: null, storedErrorFinal: false } : {}),
    ...(blind ? { lookup: null } : {}),
    ...(blind || drops('fence') || drops('bound') ? { absence: 'never' } : {}),
    ...(drops('mark') ? { noReturnMark: false } : {}),
    ...(drops('premises') ? { premises: [], guardsPremises: false } : {}),
  };
}

/** Makes targets that declare less, and lack the means that belong to what they do not declare. */
export function reduceTarget(
  createTarget: CreateTarget,
  without: readonly Capability[],
): CreateTarget {
  return (config) => reduced(createTarget(config), without);
}

function reduced(target: EffectTarget, without: readonly Capability[]): EffectTarget {
  const declaration = reduceDeclaration(target.declaration, without);
  const { query, fence, close } = target;
  return {
    name: target.name,
    declaration,
    identify: (request) => target.identify(request),
    capture: (request) => target.capture(request),
    validate: (request, premises, ownKey) => target.validate(request, premises, ownKey),
    apply: (call) => target.apply(call),
    ...(query !== undefined && declaration.lookup !== null
      ? { query: (call) => query.call(target, call) }
      : {}),
    ...(fence !== undefined && declaration.absence === 'fence'
      ? { fence: (call) => fence.call(target, call) }
      : {}),
    ...(close === undefined ? {} : { close: () => close.call(target) }),
  };
}
