/**
 * Starts a server once before anything is run, and says in one message what its author, or whoever
 * typed the command, has to mend: a server that never connects, a tool it does not offer, a placeholder
 * of nothing.
 */
import { UsageError } from '../model/errors.ts';
import type { TargetEntry } from '../plan/catalogue-entry.ts';
import { type Environment, openLab } from '../trial/lab.ts';
import { fillArguments } from './arguments.ts';
import type { BridgeConfiguration } from './configuration.ts';
import { connectServer, type Service, serverTransport } from './connect-server.ts';

export interface ServerCheck {
  readonly configuration: BridgeConfiguration;
  readonly target: TargetEntry;
  readonly environment: Environment;
  readonly timeoutMs: number;
}

/** So much of what a server prints is quoted, from its end. */
const quotedMost = 2_000;

/** Throws UsageError. */
export async function checkServer(check: ServerCheck): Promise<void> {
  const lab = await openLab([], [check.target], check.environment);
  try {
    const namespace = await lab.targetOf(check.target.name).rail.openNamespace('probe');
    try {
      const { request, changed } = namespace.examples(1);
      const { args, changedArgs } = check.configuration;
      fillArguments(args, request, '--args');
      if (changedArgs !== undefined) fillArguments(changedArgs, changed, '--changed-args');
      await checkConnects(check, namespace);
    } finally {
      await namespace.close?.();
    }
  } finally {
    await lab.close();
  }
}

async function checkConnects(
  { configuration, timeoutMs }: ServerCheck,
  service: Service,
): Promise<void> {
  const transport = serverTransport(configuration, service, 'pipe');
  let printed = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    printed = (printed + chunk.toString()).slice(-quotedMost);
  });
  try {
    const client = await connectServer(configuration, transport, timeoutMs);
    await client.close();
  } catch (error) {
    const got = error instanceof Error ? error.message : String(error);
    const said = printed.trim() === '' ? ' nothing' : `:\n${printed.trim()}`;
    throw new UsageError(
      `${configuration.command.join(' ')}: ${got}; expected an MCP server on its stdin and stdout that offers the tool. On stderr it printed${said}`,
      { cause: error },
    );
  }
}
