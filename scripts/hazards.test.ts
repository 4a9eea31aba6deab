import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseId } from '../harness/model/cell.ts';
import { named, whyUnreachable } from '../harness/plan/plan.ts';
import { wholeCatalogue } from '../harness/plan/whole-catalogue.ts';
import { loadCatalogue } from '../harness/trial/run.ts';

const root = new URL('..', import.meta.url).pathname.replace(/\/$/, '');
const page = readFileSync(`${root}/docs/hazards.md`, 'utf8');
const rows = page
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) => line.split('|').slice(1, -1));
const catalogue = wholeCatalogue(root, '.ts');
const inTicks = (text = '') => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

describe('the page of hazards', () => {
  it('has a row for each of the forty', () => {
    expect(rows.map(([number]) => Number(number))).toEqual(
      Array.from({ length: 40 }, (_, i) => i + 1),
    );
  });

  it('names a cell for each, or says why there is none', () => {
    for (const [number, , cells] of rows) {
      const says =
        inTicks(cells).length > 0 || /out of scope|every (kill|trial|documented)/.test(cells ?? '');
      expect(says, `hazard ${number}`).toBe(true);
    }
  });

  it('names only cells that a sound gate can come to', async () => {
    const { gates, targets } = await loadCatalogue({
      gates: catalogue.gates,
      targets: catalogue.targets,
    });
    const reference = named(gates, 'reference', 'gate');
    const cells = rows
      .flatMap(([, , text]) => inTicks(text))
      .filter((text) => text.split('/').length === 5);
    expect(cells.length).toBeGreaterThan(30);
    for (const cell of cells) {
      const parsed = parseId(`reference/${cell}`);
      if (parsed.kind === 'not-an-id') throw new Error(parsed.why);
      const target = named(targets, parsed.cell.target, 'target');
      expect(whyUnreachable(parsed.cell, reference, target), cell).toBeNull();
    }
  });

  it('names only what was broken and is there', () => {
    const known = [...catalogue.gates, ...catalogue.targets].map(({ name }) => name);
    const broken = rows.flatMap(([, , , text]) => inTicks(text));
    expect(broken.length).toBeGreaterThan(30);
    for (const name of broken) expect(known, name).toContain(name);
  });
});
