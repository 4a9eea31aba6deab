/** How much of the full plan a selected plan is, for a matrix that the full one includes. */
import { partsOf, slicesOf } from '../model/matrix.ts';
import { listMatrices, loadMatrix } from '../plan/matrix-file.ts';
import { shareOf } from '../plan/share.ts';
import { loadCatalogue } from '../trial/run.ts';
import type { CliContext } from './context.ts';
import type { SelectedPlan } from './selected-plan.ts';

/** The matrix of the full plan. */
const fullMatrix = 'full';

/** The same plan with its share; as it came where it is no matrix that the full one includes. */
export async function withShare(
  { catalogue, environment, matricesFolder }: CliContext,
  selected: SelectedPlan,
): Promise<SelectedPlan> {
  const { plan, chosen, subjects } = selected;
  if (chosen.from !== 'package' || plan.matrix === fullMatrix) return selected;
  if (!(await listMatrices(matricesFolder)).includes(fullMatrix)) return selected;
  const matrix = await loadMatrix({
    reference: fullMatrix,
    matricesFolder,
    workingFolder: matricesFolder,
  });
  if (!partsOf(matrix).some(({ name }) => name === plan.matrix)) return selected;
  const loaded = new Set(subjects.targets.map(({ name }) => name));
  const needed = new Set(slicesOf(matrix).flatMap(({ targets }) => targets));
  // What the plan itself needs has been loaded; each costs a bundle and a rail.
  const missing = [...needed].filter((name) => !loaded.has(name));
  const { targets } = await loadCatalogue(catalogue, environment, missing);
  const full = { matrix, gates: subjects.gates, targets: [...subjects.targets, ...targets] };
  return { ...selected, share: shareOf(plan, full) };
}
