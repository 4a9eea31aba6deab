import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Cell, formatCellId } from '../model/cell.ts';
import { faultKinds, isWireFault, railFaultOf } from '../model/fault-table.ts';
import { killPointNames } from '../model/kill-points.ts';
import { expectedFindings } from '../model/lacking.ts';
import { worldFacts } from '../model/world-table.ts';
import { loadCatalogue } from '../trial/run.ts';
import { builtInCatalogue } from './catalogue.ts';
import { listMatrices, loadMatrix } from './matrix-file.ts';
import { expandMatrix, named, type Plan } from './plan.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const matricesFolder = `${root}/matrices`;
const catalogue = builtInCatalogue(root, '.ts');
// What a rail can do is asked of the rail itself, as a run does.
const loaded = loadCatalogue(catalogue);

async function expand(name: string) {
  const matrix = await loadMatrix({ reference: name, matricesFolder, workingFolder: root });
  return expandMatrix({ matrix, ...(await loaded) });
}

describe('the matrices that come with the package', () => {
  it('each fits its schema, its pinned number and the name of its file', async () => {
    for (const name of await listMatrices(matricesFolder)) {
      expect((await expand(name)).matrix).toBe(name);
    }
  });

  it('reference holds the 228 reachable and 570 unreachable cells of two targets, four times', async () => {
    expect(numbersByGate(await expand('reference'))).toEqual({
      reference: { trials: 4 * 228, excluded: 570 },
    });
  });

  it('ladder is 1055 trials, and 2368 cells that can’t exist', async () => {
    // The kills of the table; one that pauses, one that is met by a rival, places on the wire.
    expect(numbersByGate(await expand('ladder'))).toEqual({
      reference: { trials: 878 + 24 + 37 + 48, excluded: 2317 + 23 },
      'owner-by-timeout': { trials: 8, excluded: 0 },
      naive: { trials: 14 + 16, excluded: 2 + 12 },
      'key-only': { trials: 14 + 16, excluded: 2 + 12 },
    });
  });

  it('default is the whole row of the two first targets and slices of the ladder, of the moving world and of all services, and the gates that lack rules', async () => {
    expect(numbersByGate(await expand('default'))).toEqual({
      reference: { trials: 80 + 28 + 65 + 67 + 72, excluded: 186 + 2 },
      naive: { trials: 34 + 8, excluded: 10 },
      'key-only': { trials: 32 + 8, excluded: 10 },
      'refuse-all': { trials: 4, excluded: 0 },
      'hand-check': { trials: 14, excluded: 6 },
      queue: { trials: 14, excluded: 4 },
    });
  });

  it('smoke is 25 trials and nothing excluded', async () => {
    expect(numbersByGate(await expand('smoke'))).toEqual({
      reference: { trials: 23, excluded: 0 },
      naive: { trials: 2, excluded: 0 },
    });
  });

  it('live-stripe is 72 trials with a test key, and all of them excluded without one', async () => {
    const counts = (plan: Plan) => [plan.trials.length, plan.excluded.length];
    const without = await expand('live-stripe');
    expect(counts(without)).toEqual([0, 72]);
    expect(new Set(without.excluded.map(({ kind }) => kind))).toEqual(new Set(['unavailable']));
    const environment = { STRIPE_API_KEY: 'sk_test_of_nobody' };
    const { gates, targets } = await loadCatalogue(catalogue, environment);
    const matrix = await loadMatrix({
      reference: 'live-stripe',
      matricesFolder,
      workingFolder: root,
    });
    const plan = expandMatrix({ matrix, gates, targets });
    expect(counts(plan)).toEqual([72, 0]);
    const faults = plan.trials.map(({ cell }) => cell.fault);
    const met = new Set(faults.map(({ fault }) => fault));
    expect(faultKinds.filter((kind) => isWireFault(kind) && !met.has(kind))).toEqual([]);
    const killed = new Set(plan.trials.map(({ cell }) => cell.kill));
    expect(killPointNames.filter((point) => !killed.has(point))).toEqual([]);
  });

  it('services meets every kill point, every event and every fault that GitHub and e-mail can do', async () => {
    const { trials } = await expand('services');
    const { targets } = await loaded;
    for (const name of ['github.merge', 'github.comment', 'email.smtp', 'email.keyed']) {
      const { railCan, railWorlds, declaration } = named(targets, name, 'target');
      const cells = trials.map(({ cell }) => cell).filter(({ target }) => target === name);
      const faults = new Set(cells.map(({ fault }) => fault.fault));
      const due = faultKinds.filter(
        (kind) => !isWireFault(kind) && railCan.includes(railFaultOf(kind).kind),
      );
      expect(
        due.filter((kind) => !faults.has(kind)),
        name,
      ).toEqual([]);
      const worlds = new Set(cells.flatMap(({ world }) => worldFacts(world).performs ?? []));
      const happening = railWorlds.filter(
        (event) => event !== 'undone-by-hand' || declaration.lookup?.seesDeletions === true,
      );
      expect(
        happening.filter((event) => !worlds.has(event)),
        name,
      ).toEqual([]);
      const kills = new Set(cells.map(({ kill }) => kill));
      expect(
        killPointNames.filter((point) => !kills.has(point)),
        name,
      ).toEqual([]);
    }
  });

  it('merge-after-push tells four chapters of five gates, and lets nobody merge what was not reviewed', async () => {
    const { trials } = await expand('merge-after-push');
    const pushed = trials.filter(({ cell }) => cell.world === 'premise-changed');
    expect(trials).toHaveLength(74);
    expect(new Set(pushed.map(({ cell }) => cell.gate)).size).toBe(5);
  });

  it('full holds each trial of what it includes once, and what the first of them says of it', async () => {
    const { include = [] } = await loadMatrix({
      reference: 'full',
      matricesFolder,
      workingFolder: root,
    });
    const full = await expand('full');
    // Its own slice is what is left of the matrix "reference", once each.
    const reference = await expand('reference');
    const once = { ...reference, trials: reference.trials.filter(({ trial }) => trial === 1) };
    const parts = [...(await Promise.all(include.map(expand))), once];
    const taken = new Set<string>();
    const owed = parts.map(({ trials, excluded }) => {
      const isFresh = ({ cell }: { cell: Cell }) => !taken.has(formatCellId(cell));
      const fresh = { trials: trials.filter(isFresh), excluded: excluded.filter(isFresh) };
      for (const { cell } of [...trials, ...excluded]) taken.add(formatCellId(cell));
      return fresh;
    });
    const ids = (planned: readonly { readonly id: string }[]) => planned.map(({ id }) => id);
    expect(ids(full.trials)).toEqual(owed.flatMap(({ trials }) => ids(trials)));
    expect(ids(full.excluded)).toEqual(owed.flatMap(({ excluded }) => ids(excluded)));
    expect(include).toEqual(['default', 'ladder', 'world', 'services', 'merge-after-push']);
  });

  it('refund-story puts every gate through fifteen crashes', async () => {
    const crashes = { trials: 15, excluded: 0 };
    expect(numbersByGate(await expand('refund-story'))).toEqual({
      reference: crashes,
      naive: crashes,
      'key-only': crashes,
      'hand-check': crashes,
      queue: crashes,
    });
  });

  it('every gate that lacks rules has a cell in which it must be condemned', async () => {
    const { targets } = await loaded;
    for (const name of ['default', 'smoke', 'ladder', 'refund-story']) {
      const { trials } = await expand(name);
      for (const gate of catalogue.gates.filter(({ lacks }) => lacks.length > 0)) {
        const cells = trials.map(({ cell }) => cell).filter((cell) => cell.gate === gate.name);
        if (cells.length === 0) continue;
        const condemned = cells.filter((cell) => {
          const { declaration } = named(targets, cell.target, 'target');
          return expectedFindings({ declaration, cell, gate }).length > 0;
        });
        expect(condemned.length, `${name}: ${gate.name}`).toBeGreaterThan(0);
      }
    }
  });
});

function numbersByGate(plan: Plan): Record<string, { trials: number; excluded: number }> {
  const gates = new Set([...plan.trials, ...plan.excluded].map(({ cell }) => cell.gate));
  return Object.fromEntries(
    [...gates].map((gate) => [
      gate,
      {
        trials: plan.trials.filter(({ cell }) => cell.gate === gate).length,
        excluded: plan.excluded.filter(({ cell }) => cell.gate === gate).length,
      },
    ]),
  );
}
