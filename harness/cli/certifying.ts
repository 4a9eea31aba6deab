/** What one `killpoint certify target` is about, and what a run of it needs. */
import type { JsonObject } from '../../adapters/target.ts';
import type { OwnTarget } from '../certify/own-target.ts';
import { certifyingGate } from '../certify/plan-certification.ts';
import type { CertificationRequest } from '../certify/run-certification.ts';
import type { Certificate } from '../model/certificate.ts';
import { exitCodes } from '../model/errors.ts';
import { named } from '../plan/plan.ts';
import { usualWorkers } from '../trial/usual-workers.ts';
import type { CertifyRunOptions } from './certify-options.ts';
import type { CliContext } from './context.ts';

export interface CertifyTargetOptions extends CertifyRunOptions {
  /** Paths as they were typed. */
  readonly target: string;
  readonly rail?: string;
  readonly targetExport: string;
  readonly railExport: string;
  readonly options: JsonObject;
  readonly railOptions: JsonObject;
  readonly againstUrl?: string;
  /** Only these cells, by their ids without gate and target; nothing on the command line says so. */
  readonly cells?: readonly string[];
}

export interface Certifying {
  readonly context: CliContext;
  readonly options: CertifyTargetOptions;
  readonly own: OwnTarget;
  /** Without seed, cell and folder. */
  readonly command: string;
}

/** What a run of it needs whether it is the whole or one cell. */
export function requestOf({
  context,
  options,
  own,
}: Certifying): Pick<
  CertificationRequest,
  'gate' | 'entry' | 'reducer' | 'environment' | 'seed' | 'trialsPerCell' | 'workers' | 'cells'
> {
  return {
    gate: named(context.catalogue.gates, certifyingGate, 'gate'),
    entry: own.entry,
    reducer: context.reducer,
    environment: context.environment,
    seed: options.seed,
    trialsPerCell: options.trials,
    workers: options.workers ?? usualWorkers(context.cores),
    cells: options.cells ?? null,
  };
}

/** Less than declared is as loud as an unmet trial. */
export type CertifyExitCode = 0 | 1 | 2;

export function exitCodeOfStanding({ standing }: Pick<Certificate, 'standing'>): CertifyExitCode {
  switch (standing) {
    case 'as-declared':
      return exitCodes.met;
    case 'less':
      return exitCodes.unmet;
    case 'undetermined':
      return exitCodes.inconclusive;
    default:
      return standing satisfies never;
  }
}
