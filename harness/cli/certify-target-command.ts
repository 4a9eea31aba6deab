/** `killpoint certify target`: plan, run, conclude, write, tell. */
import { join, relative, resolve } from 'node:path';
import { conclude, mostTelling } from '../certify/conclude.ts';
import { describeClass } from '../certify/describe-class.ts';
import { hashSources } from '../certify/hash-sources.ts';
import { inspectTarget } from '../certify/inspect-target.ts';
import { type OwnTarget, ownTarget } from '../certify/own-target.ts';
import { findHistory } from '../certify/read-stage.ts';
import { runCertification, type StagePlan, type StageWatch } from '../certify/run-certification.ts';
import { type Certificate, certificateSchema } from '../model/certificate.ts';
import { exitCodes, UsageError } from '../model/errors.ts';
import { renderCertificateEnd, renderCertificatePage } from '../reports/certificate.ts';
import { startProgress } from '../reports/progress.ts';
import { counted, formatDuration } from '../reports/rerun.ts';
import {
  certificateFile,
  certificateText,
  writeCertificate,
} from '../results/certificate-store.ts';
import { clearHistories } from '../results/store.ts';
import { shellQuote } from './arguments.ts';
import { certifyOnly } from './certify-only.ts';
import {
  type CertifyExitCode,
  type Certifying,
  type CertifyTargetOptions,
  exitCodeOfStanding,
  requestOf,
} from './certifying.ts';
import type { CliContext } from './context.ts';
import { readEnvironment } from './environment.ts';
import { holdingFolder } from './holding-folder.ts';
import { estimateTrials } from './list-command.ts';

/** Whatever ends it, nothing of it stays in the temporary folder. */
export async function certifyTargetCommand(
  context: CliContext,
  options: CertifyTargetOptions,
): Promise<CertifyExitCode> {
  const removeTemporaryFolder = context.openTemporaryFolder();
  try {
    const own = findTarget(context, options);
    const inspection = await inspectTarget(own.entry, context.environment);
    if (inspection.kind !== 'fit') {
      context.note(
        `${own.file}: nothing was shown: ${inspection.kind === 'unavailable' ? 'nothing can be run here' : 'the harness made an effect of its own, and it was not read back'}: ${inspection.why}\n`,
      );
      return exitCodes.inconclusive;
    }
    const certifying = { context, options, own, command: commandFor(options) };
    if (options.only !== undefined) return await certifyOnly(certifying, options.only);
    const folder = resolve(context.workingFolder, options.out);
    return await holdingFolder(context, folder, (signal) => certify(certifying, folder, signal));
  } finally {
    removeTemporaryFolder();
  }
}

async function certify(
  certifying: Certifying,
  folder: string,
  signal: AbortSignal,
): Promise<CertifyExitCode> {
  const { context, options, own } = certifying;
  const { seed, trials: trialsPerCell } = options;
  const environment = await readEnvironment();
  const [target, rail] = [await hashSources(own.entry.target), await hashSources(own.entry.rail)];
  await clearHistories(folder);
  const again = [
    certifying.command,
    `--seed ${seed}`,
    ...(trialsPerCell === 1 ? [] : [`--trials ${trialsPerCell}`]),
  ].join(' ');
  const stages = await runCertification({
    ...requestOf(certifying),
    outDir: folder,
    signal,
    facts: { environment, command: again, version: context.version },
    onStage: (stage) => announceStage(certifying, stage),
  });
  const telling = mostTelling(stages[0]);
  const history = telling === null ? null : await findHistory(folder, telling.record.id);
  const certificate: Certificate = {
    certificate: 1,
    tool: { name: 'killpoint', version: context.version },
    target: { name: own.entry.name, ...target },
    rail,
    environment,
    againstUrl: options.againstUrl ?? null,
    seed,
    trialsPerCell,
    cells: options.cells === undefined ? null : [...options.cells],
    command: again,
    ...conclude({ stages, file: own.file, historyOf: () => history }),
    stages: stages.map(({ without, results }) => ({ without: [...without], results })),
  };
  certificateSchema.parse(certificate);
  const rerun = rerunOf(certificate);
  await writeCertificate(folder, certificate, renderCertificatePage(certificate, rerun));
  context.print(renderCertificateEnd(certificate, rerun, context));
  const shown = relative(context.workingFolder, folder) || '.';
  context.print(
    `The certificate: ${join(shown, certificateText)}, ${join(shown, certificateFile)}; judge again with: npx killpoint judge ${shellQuote(join(shown, certificateFile))}\n`,
  );
  return exitCodeOfStanding(certificate);
}

function rerunOf({ command }: Pick<Certificate, 'command'>) {
  return { only: (cell: string) => `${command} --only ${shellQuote(cell)}` };
}

function announceStage(certifying: Certifying, { plan, without, target }: StagePlan): StageWatch {
  const { context } = certifying;
  const { workers } = requestOf(certifying);
  const ms = estimateTrials(plan, target, workers);
  const what =
    without.length === 0
      ? `declares: ${describeClass(target.declaration)}`
      : `what is left without ${without.join(', ')}: ${describeClass(target.declaration)}`;
  context.note(
    `${certifying.own.file} ${what}\n  ${counted(plan.trials.length, 'trial')}, ${plan.excluded.length} cells excluded, seed ${plan.seed}; about ${formatDuration(ms)} with ${workers} at a time\n`,
  );
  return startProgress({
    stream: context.progressStream,
    isTerminal: context.progressIsTerminal,
    total: plan.trials.length,
    now: () => performance.now(),
  });
}

/** One of the catalogue by its name, broken ones too, or the user's own by its file. */
function findTarget(context: CliContext, options: CertifyTargetOptions): OwnTarget {
  const known = context.catalogue.targets.find(({ name }) => name === options.target);
  if (known !== undefined && options.rail === undefined) {
    const { condemned: _, ...entry } = known;
    return { entry, file: known.name };
  }
  return ownTarget({
    ...options,
    rail: railOf(options),
    againstUrl: options.againstUrl ?? null,
    workingFolder: context.workingFolder,
  });
}

function railOf({ rail, target }: CertifyTargetOptions): string {
  if (rail !== undefined) return rail;
  throw new UsageError(
    `expected --rail with the service behind ${target}, got none; name a module that exports createRail, see docs/certifying.md for the least that is one`,
  );
}

/** Everything that was typed and decides what is run, in one form. */
function commandFor(options: CertifyTargetOptions): string {
  const given = (name: string, value: string | undefined, usual?: string) =>
    value === undefined || value === usual ? [] : [`--${name} ${shellQuote(value)}`];
  return [
    'npx killpoint certify target',
    shellQuote(options.target),
    ...given('rail', options.rail),
    ...given('target-export', options.targetExport, 'createTarget'),
    ...given('rail-export', options.railExport, 'createRail'),
    ...given('options', JSON.stringify(options.options), '{}'),
    ...given('rail-options', JSON.stringify(options.railOptions), '{}'),
    ...given('against-url', options.againstUrl),
  ].join(' ');
}
