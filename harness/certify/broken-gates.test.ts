import { afterAll, describe, expect, it } from 'vitest';
import { brokenParts } from '../plan/broken-parts.ts';
import { wholeCatalogue } from '../plan/whole-catalogue.ts';
import { brokenPromises } from '../results/record.ts';
import { loadCatalogue } from '../trial/run.ts';
import { removeTemporaryFolders, root, runCells } from '../trial/testing/run-cells.ts';
import { diagnose } from './diagnose.ts';

const parts = brokenParts().filter(({ kind }) => kind === 'gate');
const catalogue = wholeCatalogue(root, '.ts');
const targetsUsed = catalogue.targets.filter(({ name }) =>
  parts.some(({ cells }) => cells.some(({ cell }) => cell.split('/')[1] === name)),
);
const ran = runCells(
  parts.flatMap(({ cells }) => cells.slice(0, 1).map(({ cell }) => `${cell}/1`)),
  { gates: catalogue.gates, targets: targetsUsed },
);
const loaded = loadCatalogue({ gates: [], targets: targetsUsed });

afterAll(removeTemporaryFolders);

describe('each gate with one rule removed', () => {
  it.each(parts)(
    '$name is condemned for what it declares, and the rule is named',
    async (part) => {
      const [first] = part.cells;
      const record = (await ran).records.find(({ id }) => id === `${first?.cell}/1`);
      if (first === undefined || record === undefined) throw new Error('expected a trial of it');
      expect(new Set(brokenPromises(record))).toEqual(new Set(first.findings));
      expect(record.meetsExpectation).toBe(true);

      const rules = diagnose({ trials: [record], targets: (await loaded).targets });
      expect(rules.slice(0, 2).map(({ rule }) => rule)).toContain(part.lacks);
      expect(rules[0]?.trials).toEqual([record.id]);
    },
    120_000,
  );
});

describe('a diagnosis', () => {
  it('names nothing where nothing was found', () => {
    expect(diagnose({ trials: [], targets: [] })).toEqual([]);
  });
});
