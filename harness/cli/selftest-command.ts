/** `killpoint selftest`: tries everything that was broken on purpose, and as much that is sound. */
import { join, relative, resolve } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { UsageError } from '../model/errors.ts';
import { slicesOf } from '../model/matrix.ts';
import { type Selftest, selftestSchema } from '../model/selftest.ts';
import { type BrokenPart, brokenParts } from '../plan/broken-parts.ts';
import { loadMatrix } from '../plan/matrix-file.ts';
import { named } from '../plan/plan.ts';
import { planIds, targetsOfIds } from '../plan/plan-ids.ts';
import { sampleSound } from '../plan/sound-sample.ts';
import { renderSelftest, renderSelftestTerminal } from '../reports/selftest.ts';
import type { ResultsExitCode } from '../results/exit-code.ts';
import { exitCodeOfSelftest, readSelftest } from '../results/selftest.ts';
import { loadCatalogue } from '../trial/run.ts';
import type { CliContext } from './context.ts';
import { runSelected } from './run-selected.ts';
import { publishedFolder } from './select-plan.ts';
import type { SelectedPlan } from './selected-plan.ts';

export interface SelftestRequest {
  /** Names of broken parts; empty: all. */
  readonly only: readonly string[];
  /** Trials of what is sound. */
  readonly sound: number;
  readonly seed: number;
  readonly workers?: number;
  /** Where the two pages go, without `.md` and `.json`. */
  readonly out: string;
}

/** What is sound is drawn from these. */
const soundMatrices = ['default', 'ladder', 'world', 'services'] as const;
const soundGate = 'reference';

export async function selftestCommand(
  context: CliContext,
  request: SelftestRequest,
): Promise<ResultsExitCode> {
  const parts = chooseParts(request.only);
  const removeTemporaryFolder = context.openTemporaryFolder();
  try {
    const selected = await selectSelftest(context, request, parts);
    const { workers } = request;
    const results = await runSelected(context, selected, {
      bail: false,
      ...(workers === undefined ? {} : { workers }),
    });
    const selftest = readSelftest({ results, parts, command: selected.command });
    // What is stored is what the schema says, or the command has not ended well.
    selftestSchema.parse(selftest);
    context.print(renderSelftestTerminal(selftest, context));
    await writePages(context, request, selftest);
    return exitCodeOfSelftest(selftest);
  } finally {
    removeTemporaryFolder();
  }
}

function chooseParts(only: readonly string[]): readonly BrokenPart[] {
  const parts = brokenParts();
  const known = parts.map(({ name }) => name);
  const unknown = only.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new UsageError(
      `--only: nothing broken is called ${unknown.join(', ')}; known: ${known.join(', ')}`,
    );
  }
  return only.length === 0 ? parts : parts.filter(({ name }) => only.includes(name));
}

/** What was broken comes first, so that a wrong one is seen soon. */
async function selectSelftest(
  context: CliContext,
  { sound, seed, out, only }: SelftestRequest,
  parts: readonly BrokenPart[],
): Promise<SelectedPlan> {
  const broken = parts.flatMap(({ cells }) => cells.map(({ cell }) => `${cell}/1`));
  const ids = [...broken, ...(await drawSound(context, sound, seed))];
  const subjects = await loadCatalogue(context.catalogue, context.environment, targetsOfIds(ids));
  const plan = planIds({ ...subjects, ids, trialsPerCell: 1, seed });
  return {
    plan: { ...plan, matrix: 'selftest', title: 'Selftest' },
    subjects,
    chosen: { from: 'ids', trialsPerCell: 1, exclusions: [] },
    outFolder: resolve(context.workingFolder, publishedFolder, 'selftest'),
    slices: [],
    command: [
      'npx killpoint selftest',
      ...only.map((name) => `--only ${name}`),
      `--sound ${sound} --seed ${seed} --out ${out}`,
    ].join(' '),
  };
}

async function drawSound(
  context: CliContext,
  count: number,
  seed: number,
): Promise<readonly string[]> {
  if (count === 0) return [];
  const { matricesFolder, workingFolder, catalogue, environment } = context;
  const matrices = await Promise.all(
    soundMatrices.map((reference) => loadMatrix({ reference, matricesFolder, workingFolder })),
  );
  const targets = matrices.flatMap(slicesOf).flatMap((slice) => slice.targets);
  const subjects = await loadCatalogue(catalogue, environment, targets);
  const gate = named(subjects.gates, soundGate, 'gate');
  return sampleSound({ matrices, gate, ...subjects, count, seed });
}

async function writePages(
  context: CliContext,
  { out }: SelftestRequest,
  selftest: Selftest,
): Promise<void> {
  const stem = resolve(context.workingFolder, out);
  await writeFileAtomic(`${stem}.md`, renderSelftest(selftest));
  await writeFileAtomic(`${stem}.json`, `${JSON.stringify(selftest, null, 2)}\n`);
  const shown = relative(context.workingFolder, stem);
  const folder = join(publishedFolder, 'selftest');
  context.note(
    `Written: ${shown}.md, ${shown}.json; judge again with: npx killpoint judge ${folder}\n`,
  );
}
