/**
 * Judges a certificate again: every verdict from its history, the plan from what was declared, the order
 * of the stages, and at last what follows from all of it. Nothing is run, and the target is not needed.
 */
import { dirname } from 'node:path';
import { reduceDeclaration } from '../../adapters/reduced-target.ts';
import { type Certificate, conclusionSchema } from '../model/certificate.ts';
import type { History } from '../model/history.ts';
import { readCertificate } from '../results/certificate-store.ts';
import { compareRun } from '../results/compare-run.ts';
import { type Difference, difference, isSame } from '../results/differences.ts';
import {
  type FoundHistories,
  findHistories,
  judgeTrials,
  unlistedIn,
} from '../results/judge-folder.ts';
import { hashPlan, hashPlanOfRecords } from '../results/plan-hash.ts';
import { entriesOf } from '../results/subjects.ts';
import { conclude, mostTelling } from './conclude.ts';
import { nextStep, type Stage } from './judge-stage.ts';
import { planCertification } from './plan-certification.ts';
import { findHistory, readStage } from './read-stage.ts';

export interface JudgedCertificate {
  readonly certificate: Certificate;
  readonly differences: readonly Difference[];
  readonly histories: number;
}

type StoredStage = Certificate['stages'][number];

/** Throws UsageError for what is no certificate. */
export async function judgeCertificate(path: string): Promise<JudgedCertificate> {
  const certificate = await readCertificate(path);
  const folder = dirname(path);
  const found = await findHistories(folder);
  const differences: Difference[] = [...found.differences];
  const stages: Stage[] = [];
  let histories = 0;
  for (const stored of certificate.stages) {
    differences.push(...compareStep(stages, stored), ...compareStage(certificate, stored));
    const judged = await judgeStored(folder, stored, found);
    differences.push(...judged.differences);
    histories += judged.histories;
    stages.push(judged.stage);
  }
  differences.push(
    ...unlistedIn(
      found,
      certificate.stages.map(({ results }) => results),
    ),
    ...(await compareConclusion(certificate, stages, folder)),
  );
  return { certificate, differences, histories };
}

async function judgeStored(folder: string, stored: StoredStage, found: FoundHistories) {
  const { without, results } = stored;
  const { differences, records, histories } = await judgeTrials(folder, results, found);
  const declaration = declarationOf(stored);
  const stage = await readStage(folder, { without, declaration, records });
  return { stage, histories, differences: [...compareRun(results), ...differences] };
}

function declarationOf({ results }: StoredStage) {
  const [target] = results.targets;
  if (target === undefined) throw new Error('a stage of a certificate without a target');
  return target.declaration;
}

/** Whether what was left out is what the stages before it ask for. */
function compareStep(before: readonly Stage[], { without }: StoredStage): readonly Difference[] {
  const next = nextStep(before);
  if (next.kind === 'run' && isSame(next.without, without)) return [];
  const asked = next.kind === 'run' ? `without ${next.without.join(', ') || 'nothing'}` : 'none';
  const message = `expected the next stage to be ${asked}, it is without ${without.join(', ') || 'nothing'}`;
  return [difference('stages-differ', null, message)];
}

/** Whether a stage declares what it must, and holds every cell that such a declaration is tried by. */
function compareStage(certificate: Certificate, stored: StoredStage): readonly Difference[] {
  const { seed, trialsPerCell, cells, declared } = certificate;
  const { without, results } = stored;
  const expected = reduceDeclaration(declared.declaration, without);
  const differences: Difference[] = [];
  if (!isSame(declarationOf(stored), expected)) {
    const message = `declaration without ${without.join(', ') || 'nothing'}: expected ${JSON.stringify(expected)}, stored ${JSON.stringify(declarationOf(stored))}`;
    differences.push(difference('stages-differ', null, message));
  }
  const {
    gates: [gate],
    targets: [target],
  } = entriesOf(results);
  if (gate === undefined || target === undefined) return differences;
  const plan = planCertification({ gate, target, seed, trialsPerCell, cells });
  if (hashPlan(plan) !== hashPlanOfRecords(results.trials)) {
    const message = `${plan.trials.length} trials and ${plan.excluded.length} excluded cells certify such a declaration, the certificate holds others`;
    differences.push(difference('plan-differs', null, message));
  }
  return differences;
}

async function compareConclusion(
  certificate: Certificate,
  [first, ...others]: readonly Stage[],
  folder: string,
): Promise<readonly Difference[]> {
  if (first === undefined) return [];
  const telling = mostTelling(first);
  const history: History | null =
    telling === null ? null : await findHistory(folder, telling.record.id);
  const concluded = conclude({
    stages: [first, ...others],
    file: certificate.target.module,
    historyOf: () => history,
  });
  const names = Object.keys(conclusionSchema.shape) as (keyof typeof concluded)[];
  return names
    .filter((name) => !isSame(certificate[name], concluded[name]))
    .map((name) =>
      difference(
        'conclusion-differs',
        null,
        `${name}: stored ${JSON.stringify(certificate[name])}, concluded now ${JSON.stringify(concluded[name])}`,
      ),
    );
}
