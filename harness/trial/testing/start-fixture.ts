/** Starts one of the little subjects as a trial would, with everything it does recorded. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StartMessage } from '../../../gate/protocol.ts';
import type { ObservedEvent } from '../../model/history.ts';
import { plain } from '../../model/testing/classes.ts';
import {
  type StartOptions,
  type SubjectProcess,
  SubjectRegistry,
  startSubject,
} from '../subject-process.ts';

export const fixtureFolder = join(import.meta.dirname, '..', 'fixtures');
export const credential = 'sk_test_do_not_tell';

export interface Stage {
  readonly folder: string;
  readonly events: ObservedEvent[];
  readonly registry: SubjectRegistry;
  start(fixture: string, changes?: Partial<StartOptions>): Promise<SubjectProcess>;
  types(): readonly string[];
  misbehaviours(): readonly { readonly what: string; readonly detail: string }[];
  /** Ends whatever a test has left. */
  clear(): void;
}

export function openStage(): Stage {
  const folder = mkdtempSync(join(tmpdir(), 'killpoint-subject-'));
  const events: ObservedEvent[] = [];
  const registry = new SubjectRegistry();
  return {
    folder,
    events,
    registry,
    start: (fixture, changes) =>
      startSubject({
        command: [process.execPath, join(fixtureFolder, `${fixture}.mjs`)],
        cwd: folder,
        env: {},
        token: `token-of-${folder}`,
        incarnation: 1,
        role: 'first',
        observe: (event) => events.push(event),
        registry,
        stdoutPath: join(folder, 'stdout.txt'),
        stderrPath: join(folder, 'stderr.txt'),
        start: startMessage(folder),
        readyMs: 10_000,
        ...changes,
      }),
    types: () => events.map((event) => event.type),
    misbehaviours: () =>
      events.flatMap((event) =>
        event.type === 'subject-misbehaved' ? [{ what: event.what, detail: event.detail }] : [],
      ),
    clear() {
      registry.killAll();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function startMessage(ledger: string): StartMessage {
  return {
    type: 'start',
    protocol: 1,
    ledger,
    target: {
      module: 'none',
      export: 'none',
      endpoint: { protocol: 'http', host: '127.0.0.1', port: 1 },
      credentials: { apiKey: credential },
      options: {},
    },
    authority: { url: 'http://127.0.0.1:1' },
    declaration: plain,
    clockOffsetMs: 0,
    armed: [{ point: 'after_wal_before_call', occurrence: 1 }],
  };
}
