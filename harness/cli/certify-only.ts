/** `killpoint certify target … --only CELL`: one cell, while somebody mends what it shows. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Capability, capabilities } from '../../adapters/reduced-target.ts';
import { certifyingGate } from '../certify/plan-certification.ts';
import { entryWithout, nameWithout } from '../certify/run-certification.ts';
import { parseId } from '../model/cell.ts';
import { UsageError } from '../model/errors.ts';
import { planIds } from '../plan/plan-ids.ts';
import { renderTerminal } from '../reports/terminal.ts';
import { exitCodeOf, type ResultsExitCode } from '../results/exit-code.ts';
import { declareTargets } from '../trial/lab.ts';
import { shellQuote } from './arguments.ts';
import { type Certifying, requestOf } from './certifying.ts';
import { runSelected } from './run-selected.ts';
import { lastFolder } from './select-plan.ts';

/** Writes what `run` writes, beside the certificate and not over it. */
export async function certifyOnly(certifying: Certifying, only: string): Promise<ResultsExitCode> {
  const { context, options } = certifying;
  const { gate, ...request } = requestOf(certifying);
  const { id, without } = readOnly(only, request.entry.name);
  const wrappers = await mkdtemp(join(tmpdir(), 'killpoint-reduced-'));
  try {
    const entry = await entryWithout(request, without, wrappers);
    const subjects = { gates: [gate], targets: await declareTargets([entry], context.environment) };
    const { seed, trialsPerCell, workers } = request;
    const results = await runSelected(
      context,
      {
        plan: planIds({ ids: [id], ...subjects, trialsPerCell, seed }),
        subjects,
        chosen: { from: 'ids', trialsPerCell, exclusions: [] },
        outFolder: join(resolve(context.workingFolder, options.out), lastFolder),
        slices: [],
        command: `${certifying.command} --only ${shellQuote(only)} --seed ${seed}`,
      },
      { bail: false, workers },
    );
    context.print(renderTerminal(results, context));
    return exitCodeOf(results);
  } finally {
    await rm(wrappers, { recursive: true, force: true });
  }
}

interface OnlyCell {
  readonly id: string;
  /** What of the declaration is left out in the stage it comes from. */
  readonly without: readonly Capability[];
}

/** `kill/fault/world/caller[/trial]`, or the same behind `gate/target/`. */
export function readOnly(only: string, name: string): OnlyCell {
  const whole = parseId(only).kind === 'id' ? only : `${certifyingGate}/${name}/${only}`;
  const parsed = parseId(whole);
  if (parsed.kind === 'not-an-id') throw new UsageError(`--only: ${parsed.why}`);
  const { gate, target } = parsed.cell;
  if (gate !== certifyingGate) {
    throw new UsageError(
      `--only: expected the gate ${certifyingGate}, got "${gate}"; targets are certified behind no other`,
    );
  }
  const prefix = `${name}.without-`;
  const without = target.startsWith(prefix)
    ? capabilities.filter((capability) =>
        target.slice(prefix.length).split('-').includes(capability),
      )
    : [];
  if (nameWithout(name, without) !== target) {
    throw new UsageError(`--only: expected a cell of ${name}, got one of "${target}"`);
  }
  return { id: whole, without };
}
