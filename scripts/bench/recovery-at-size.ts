/**
 * The same recovery on ledgers of different age: a real subject is killed with one attempt in flight,
 * started again and told to recover, on a new ledger and on a full one in turns.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RailNamespace } from '../../adapters/rail.ts';
import { startBare } from './bare-process.ts';
import type { BenchLab } from './bench-lab.ts';

export interface RecoveryAtSize {
  readonly recoveryMs: readonly number[];
  readonly restartMs: readonly number[];
  /** From the spawn to `ready`, on a ledger that a killed process left behind. */
  readonly startMs: readonly number[];
}

export interface SizesOptions {
  readonly lab: BenchLab;
  readonly rounds: number;
  readonly fullLedger: string;
}

const gate = 'reference';
const target = 'stripe.keyed';
const lease = 'lease-bench-recovery';

export async function measureRecoveryAtSize(
  options: SizesOptions,
): Promise<{ readonly empty: RecoveryAtSize; readonly full: RecoveryAtSize }> {
  const { lab } = options;
  const namespace = await lab.targetOf(target).rail.openNamespace('recovery-at-size');
  lab.authority.grant(lease, { kind: 'live', expiresAtMs: null, coversReasons: [] });
  const empty: Recovered[] = [];
  const full: Recovered[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    const newLedger = join(lab.folder, 'bench-recovery-empty', String(round));
    mkdirSync(newLedger, { recursive: true });
    empty.push(await recoverOnce({ lab, namespace, ledger: newLedger, number: 2 * round }));
    const ledger = options.fullLedger;
    full.push(await recoverOnce({ lab, namespace, ledger, number: 2 * round + 1 }));
  }
  lab.authority.forget(lease);
  await namespace.close?.();
  return { empty: inSeries(empty), full: inSeries(full) };
}

interface Recovered {
  readonly recoveryMs: number;
  readonly restartMs: number;
  readonly startMs: number;
}

interface Attempted {
  readonly lab: BenchLab;
  readonly namespace: RailNamespace;
  readonly ledger: string;
  /** Makes the request; the same one would be joined. */
  readonly number: number;
}

async function recoverOnce({ lab, namespace, ledger, number }: Attempted): Promise<Recovered> {
  const command = lab.commandOf(gate);
  const armed = [{ point: 'after_wal_before_call', occurrence: 1 }] as const;
  const first = await startBare(
    command,
    lab.startMessage(target, { namespace, ledger, armed: [...armed] }),
  );
  first.send({
    type: 'submit',
    id: 1,
    requestId: `bench-${number}`,
    request: namespace.examples(number).request,
    lease,
    premises: [],
  });
  await first.expect('at');
  const killedMs = performance.now();
  await first.kill();
  const second = await startBare(command, lab.startMessage(target, { namespace, ledger }));
  const askedMs = performance.now();
  second.send({ type: 'recover', id: 1 });
  await second.expect('done');
  const doneMs = performance.now();
  await second.stop();
  return {
    recoveryMs: doneMs - askedMs,
    restartMs: doneMs - killedMs,
    startMs: second.startMs,
  };
}

function inSeries(recovered: readonly Recovered[]): RecoveryAtSize {
  return {
    recoveryMs: recovered.map((one) => one.recoveryMs),
    restartMs: recovered.map((one) => one.restartMs),
    startMs: recovered.map((one) => one.startMs),
  };
}
