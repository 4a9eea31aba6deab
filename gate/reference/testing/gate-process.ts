/**
 * One gate in a process of its own, told on its command line what to do. It says `at <point>` on
 * stdout when it reaches the point it was armed with and stands still until a line comes in.
 */
import { readSync, writeSync } from 'node:fs';
import type { JsonObject, TargetDeclaration } from '../../../adapters/target.ts';
import type { LeaseState } from '../../gate.ts';
import { createGate } from '../gate.ts';
import { overHttp, plainTarget } from './service.ts';

export interface Orders {
  readonly folder: string;
  readonly url: string;
  readonly declaration: TargetDeclaration;
  readonly request: JsonObject;
  /** Where to stand still; empty: nowhere. */
  readonly stopAt: string;
  readonly work: 'submit' | 'recover' | 'open';
  /** What its authority answers. */
  readonly lease: LeaseState;
}

main(JSON.parse(process.argv[2] ?? '{}') as Orders).then(
  () => process.exit(0),
  (thrown: unknown) => {
    say(`threw ${String(thrown)}`);
    process.exit(1);
  },
);

async function main(orders: Orders): Promise<void> {
  const gate = createGate({
    target: plainTarget(overHttp(orders.url), orders.declaration),
    ledger: orders.folder,
    authority: { check: async () => orders.lease },
    now: Date.now,
    at: ({ point }) => {
      if (point !== orders.stopAt) return;
      say(`at ${point}`);
      standStill();
    },
  });
  if (orders.work === 'open') {
    say('open');
    standStill();
  } else if (orders.work === 'recover') await gate.recover();
  else {
    const proposal = { requestId: 'child', lease: 'lease-1', premises: [] };
    await gate.submit({ ...proposal, request: orders.request });
  }
  say(`outcome ${JSON.stringify(await gate.ask(orders.request))}`);
  await gate.close();
}

/** Blocks the whole process until a line or the end of stdin. */
function standStill(): void {
  const byte = Buffer.alloc(1);
  for (;;) {
    try {
      if (readSync(0, byte, 0, 1, null) === 0) process.exit(2);
      if (byte.toString() === '\n') return;
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EAGAIN')) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}
