/** The catalogue with what was broken on purpose: everything that can be named in an id. */
import { brokenGateEntries } from './broken.ts';
import { brokenTargetEntries } from './broken-targets.ts';
import { builtInCatalogue, type Catalogue } from './catalogue.ts';

/** `root` and `extension` as for the built-in catalogue. */
export function wholeCatalogue(root: string, extension: '.ts' | '.js'): Catalogue {
  const { gates, targets } = builtInCatalogue(root, extension);
  return {
    gates: [...gates, ...brokenGateEntries(root, extension)],
    targets: [...targets, ...brokenTargetEntries({ root, extension, sound: targets })],
  };
}
