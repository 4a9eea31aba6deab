/** How long one process takes to be there: the reference subject on a new ledger, and Node with nothing. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startBare } from './bare-process.ts';
import type { BenchLab } from './bench-lab.ts';

export interface StartTimes {
  readonly subjectMs: readonly number[];
  readonly emptyMs: readonly number[];
}

/** One after the other, taking turns, with nothing else under way here. */
export async function measureStarts(lab: BenchLab, rounds: number): Promise<StartTimes> {
  const target = 'stripe.keyed';
  const namespace = await lab.targetOf(target).rail.openNamespace('starts');
  const subjectMs: number[] = [];
  const emptyMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const ledger = join(lab.folder, 'bench-starts', String(round));
    mkdirSync(ledger, { recursive: true });
    const message = lab.startMessage(target, { namespace, ledger });
    const subject = await startBare(lab.commandOf('reference'), message);
    subjectMs.push(subject.startMs);
    await subject.stop();
    const empty = await startBare(lab.emptyCommand, null);
    emptyMs.push(empty.startMs);
    await empty.stop();
  }
  await namespace.close?.();
  return { subjectMs, emptyMs };
}
