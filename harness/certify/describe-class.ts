/** The guarantee class of a declaration in words, with what is left of it when its window is over. Pure. */
import type { TargetDeclaration } from '../../adapters/target.ts';
import { classify, guaranteeClassTitles } from '../model/expectation.ts';
import { formatDuration } from '../reports/rerun.ts';

const hourMs = 3_600_000;

export function describeClass(declaration: TargetDeclaration): string {
  const { dedupe } = declaration;
  if (dedupe === null) return guaranteeClassTitles[classify(declaration, false)];
  const after = classify(declaration, true);
  if (dedupe.windowMs === 'forever') return 'dedupes for ever';
  const afterwards = after === 'window-over' ? 'neither' : guaranteeClassTitles[after];
  return `dedupes, in window (${formatSpan(dedupe.windowMs)}); afterwards ${afterwards}`;
}

/** Windows are hours and days, and read as they were declared. */
export function formatSpan(durationMs: number): string {
  const isWhole = durationMs >= hourMs && durationMs % hourMs === 0;
  return isWhole ? `${durationMs / hourMs} h` : formatDuration(durationMs);
}
