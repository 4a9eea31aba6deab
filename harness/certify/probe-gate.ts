/**
 * Starts a gate once, as a trial would, and hears what it can do. What keeps it from saying "ready" is
 * told its author in one message.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadyMessage } from '../../gate/protocol.ts';
import { HarnessError, UsageError } from '../model/errors.ts';
import type { GateEntry, TargetEntry } from '../plan/catalogue-entry.ts';
import { type Environment, openLab } from '../trial/lab.ts';
import { startMessage } from '../trial/start-message.ts';
import { SubjectRegistry, startSubject } from '../trial/subject-process.ts';

export interface ProbeInput {
  readonly gate: GateEntry;
  readonly target: TargetEntry;
  readonly environment: Environment;
  readonly readyMs: number;
}

const stopMs = 5_000;

/** Throws UsageError for a command that can't be started and for a subject that never says it is ready. */
export async function probeGate(input: ProbeInput): Promise<ReadyMessage> {
  const { gate, target, environment, readyMs } = input;
  const lab = await openLab([gate], [target], environment);
  const registry = new SubjectRegistry();
  try {
    const loaded = lab.targetOf(target.name);
    const namespace = await loaded.rail.openNamespace('probe');
    const workspace = join(lab.folder, 'probe');
    await mkdir(workspace);
    const complaints: string[] = [];
    try {
      const subject = await startSubject({
        command: lab.commandOf(gate.name),
        cwd: workspace,
        env: {},
        token: `${process.pid}-probe`,
        incarnation: 1,
        role: 'observer',
        observe: (event) => {
          if (event.type === 'subject-misbehaved') complaints.push(event.detail);
        },
        registry,
        stdoutPath: join(workspace, 'stdout.txt'),
        stderrPath: join(workspace, 'stderr.txt'),
        readyMs,
        start: startMessage({
          target: loaded,
          authority: lab.authority,
          endpoint: namespace.endpoint,
          credentials: namespace.credentials,
          ledger: join(workspace, 'ledger'),
        }),
      });
      const { ready } = subject;
      await subject.stop(stopMs);
      return ready;
    } catch (error) {
      if (!(error instanceof HarnessError)) throw error;
      throw new UsageError(
        `expected ${lab.commandOf(gate.name).join(' ')} to answer "start" with "ready", as docs/subject-protocol.md has it; got: ${[error.message, ...complaints].join('; ')}`,
        { cause: error },
      );
    } finally {
      await namespace.close?.();
    }
  } finally {
    registry.killAll();
    await lab.close();
  }
}
