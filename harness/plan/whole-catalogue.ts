/** The catalogue with what was broken on purpose: everything that can be named in an id. */
import { brokenGateEntries } from './broken.ts';
import { brokenTargetEntries } from './broken-targets.ts';
import { builtInCatalogue } from './catalogue.ts';
import type { Catalogue, TargetEntry } from './catalogue-entry.ts';
import { named } from './plan.ts';

/** `root` and `extension` as for the built-in catalogue. */
export function wholeCatalogue(root: string, extension: '.ts' | '.js'): Catalogue {
  const { gates, targets } = builtInCatalogue(root, extension);
  const sound = [...targets, ...slowVariants(named(targets, 'stripe.lookup', 'target'))];
  return {
    gates: [...gates, ...brokenGateEntries(root, extension)],
    targets: [...sound, ...brokenTargetEntries({ root, extension, sound })],
  };
}

/**
 * Services so slow that the time a process takes to start can't stand in for the wait a gate leaves
 * out. Every other trial would only be the longer for them.
 */
function slowVariants(lookup: TargetEntry): readonly TargetEntry[] {
  const variant = (
    name: string,
    about: string,
    slow: { readonly lagMs: number; readonly landingBoundMs: number },
  ): TargetEntry => ({
    name,
    about,
    target: { ...lookup.target, options: { ...lookup.target.options, ...slow } },
    rail: { ...lookup.rail, options: { ...lookup.rail.options, lagMs: slow.lagMs } },
  });
  return [
    variant('stripe.laggard', 'Stripe refunds that come into the lists a second later', {
      lagMs: 1000,
      landingBoundMs: 10,
    }),
    variant('stripe.patient', 'Stripe refunds that can still land a second later', {
      lagMs: 40,
      landingBoundMs: 1000,
    }),
  ];
}
