import { afterAll, describe, expect, it } from 'vitest';
import { brokenTargets } from '../../adapters/broken/declared.ts';
import { parseId } from '../model/cell.ts';
import { loadCatalogue } from '../trial/run.ts';
import { removeTemporaryFolders, root, runCells } from '../trial/testing/run-cells.ts';
import { named, whyUnreachable } from './plan.ts';
import { wholeCatalogue } from './whole-catalogue.ts';

const catalogue = wholeCatalogue(root, '.ts');
const names = brokenTargets.map(({ name }) => name);
const idsOf = (name: string) =>
  (named(catalogue.targets, name, 'target').condemned ?? []).map(({ cell }) => cell);

afterAll(removeTemporaryFolders);

describe('the targets that are broken on purpose', () => {
  it('have names of their own', () => {
    const all = catalogue.targets.map(({ name }) => name);
    expect(new Set(all).size).toBe(all.length);
  });

  it('show in their first cell the finding they are broken for', () => {
    for (const { name, finding, cells } of brokenTargets) {
      expect(cells[0]?.findings, name).toContain(finding);
    }
  });

  it('declare only cells that can exist', async () => {
    const { gates, targets } = await loadCatalogue(catalogue, {}, names);
    for (const id of names.flatMap(idsOf)) {
      const parsed = parseId(id);
      if (parsed.kind === 'not-an-id') throw new Error(parsed.why);
      const { cell } = parsed;
      const why = whyUnreachable(
        cell,
        named(gates, cell.gate, 'gate'),
        named(targets, cell.target, 'target'),
      );
      expect(why, id).toBeNull();
    }
  });

  it.each(['key-not-sent', 'tier-overstated', 'precondition-as-fence', 'premise-at-recovery'])(
    '%s is condemned for what it declares, and for nothing else',
    async (name) => {
      const { records } = await runCells(idsOf(name).slice(0, 1), {
        gates: catalogue.gates,
        targets: catalogue.targets,
      });
      expect(records.map(({ meetsExpectation }) => meetsExpectation)).toEqual([true]);
    },
  );
});
