/**
 * What shows a mutant: first Killpoint's own cells, where a violated trial does, and then the gate's own
 * tests, where a failed one does. A trial that proves nothing shows nothing.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { TrialRecord } from '../../harness/model/results.ts';
import type { DeclaredTarget, GateEntry } from '../../harness/plan/catalogue-entry.ts';
import { planIds } from '../../harness/plan/plan-ids.ts';
import { brokenPromises } from '../../harness/results/record.ts';
import { runPlan } from '../../harness/trial/run.ts';
import { mutantCells } from './cells.ts';
import { type MutatedTree, mutatedFolder } from './tree.ts';

export interface CellsGiven {
  readonly tree: MutatedTree;
  readonly targets: readonly DeclaredTarget[];
  readonly workers: number;
  readonly seed: number;
  readonly signal: AbortSignal;
}

export interface ShownByCell {
  readonly cell: string;
  readonly findings: readonly string[];
}

/** A gate that never gets anywhere need not be waited for in every cell as long as in a run. */
const bounds = { readyMs: 5_000, answerMs: 5_000 };

/** The first violated trial; null where every trial ran and none was, or could be. */
export async function showByCells(given: CellsGiven): Promise<ShownByCell | null> {
  const { tree, targets, workers, seed } = given;
  const gate: GateEntry = {
    name: 'reference',
    about: 'the reference gate, mutated',
    lacks: [],
    run: { kind: 'module', module: join(tree.folder, mutatedFolder, 'main.ts') },
  };
  const plan = planIds({ ids: mutantCells, gates: [gate], targets, trialsPerCell: 1, seed });
  const outDir = mkdtempSync(join(tmpdir(), 'killpoint-mutant-'));
  const stop = new AbortController();
  const callOff = () => stop.abort();
  given.signal.addEventListener('abort', callOff, { once: true });
  let shown: TrialRecord | null = null;
  try {
    await runPlan({
      plan,
      gates: [gate],
      targets,
      workers,
      outDir,
      bail: false,
      bounds,
      signal: stop.signal,
      onTrial: (record) => {
        if (record.verdict !== 'violated') return;
        shown ??= record;
        stop.abort();
      },
    });
  } finally {
    given.signal.removeEventListener('abort', callOff);
    rmSync(outDir, { recursive: true, force: true });
  }
  return shown === null ? null : describe(shown);
}

function describe(record: TrialRecord): ShownByCell {
  return { cell: record.id, findings: brokenPromises(record) };
}

/** Whether one of the tests in these files of the tree fails. Throws where they could not be run. */
export async function showByTests(
  tree: MutatedTree,
  files: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const vitest = join(tree.folder, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', ...files, '--bail', '1', '--maxWorkers', '1'];
  const ran = await execa(process.execPath, [...args, '--reporter', 'dot'], {
    cwd: tree.folder,
    reject: false,
    timeout: 180_000,
    cancelSignal: signal,
    env: { KILLPOINT_TEST_REPORT: '' },
  });
  if (ran.isCanceled) throw new Error('the run was interrupted');
  // A test that never ends is one that fails.
  if (ran.timedOut || ran.exitCode === 1) return true;
  if (ran.exitCode === 0) return false;
  throw new Error(`expected vitest to end with 0 or 1, got ${ran.exitCode}: ${ran.stderr}`);
}
