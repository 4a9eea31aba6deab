/**
 * What the measurements without a trial around them need: the bundles, rails and the lease authority
 * of a run, a folder that goes away, and the `start` message a trial would send.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RailNamespace } from '../../adapters/rail.ts';
import type { StartMessage } from '../../gate/protocol.ts';
import type { DeclaredTarget, GateEntry } from '../../harness/plan/catalogue-entry.ts';
import { type Lab, type LoadedTarget, openLab } from '../../harness/trial/lab.ts';
import { startMessage } from '../../harness/trial/start-message.ts';

export interface BenchLab {
  readonly folder: string;
  readonly authority: Lab['authority'];
  /** The bundled subject of a gate. */
  commandOf(gate: string): readonly string[];
  /** As a trial opens it for a gate that keeps its books in one. */
  readonly openDatabaseOf: Lab['openDatabaseOf'];
  /** Node with a script that says one empty line and ends. */
  readonly emptyCommand: readonly string[];
  readonly targetOf: (name: string) => LoadedTarget;
  startMessage(target: string, given: StartGiven): StartMessage;
  close(): Promise<void>;
}

export interface StartGiven {
  readonly namespace: RailNamespace;
  readonly ledger: string;
  readonly armed?: StartMessage['armed'];
}

export interface Parts {
  readonly gates: readonly GateEntry[];
  readonly targets: readonly DeclaredTarget[];
}

export async function openBenchLab({ gates, targets }: Parts): Promise<BenchLab> {
  const lab = await openLab(gates, targets);
  const empty = join(lab.folder, 'empty.cjs');
  // Saying a line shows that it has started; waiting for its end would count its end as well.
  writeFileSync(empty, "require('node:fs').writeSync(4, '\\n');\n");
  return {
    folder: lab.folder,
    authority: lab.authority,
    commandOf: (gate) => lab.commandOf(gate),
    openDatabaseOf: (gate) => lab.openDatabaseOf(gate),
    emptyCommand: [process.execPath, empty],
    targetOf: (name) => lab.targetOf(name),
    startMessage(name, { namespace, ledger, armed = [] }) {
      return startMessage({
        target: lab.targetOf(name),
        authority: lab.authority,
        endpoint: namespace.endpoint,
        credentials: namespace.credentials,
        ledger,
        armed,
      });
    },
    close: () => lab.close(),
  };
}
