/** `killpoint certify mcp`: an MCP server, driven as an agent drives it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { JsonObject } from '../../adapters/target.ts';
import { diagnose } from '../certify/diagnose.ts';
import { planGate } from '../certify/plan-gate.ts';
import { checkServer } from '../mcp/check-server.ts';
import type { BridgeConfiguration } from '../mcp/configuration.ts';
import { whyNotForMcp } from '../mcp/plan-mcp.ts';
import { UsageError } from '../model/errors.ts';
import type { GateEntry } from '../plan/catalogue-entry.ts';
import { named } from '../plan/plan.ts';
import { planIds } from '../plan/plan-ids.ts';
import { renderDiagnosis } from '../reports/diagnosis.ts';
import { renderTerminal } from '../reports/terminal.ts';
import { exitCodeOf, type ResultsExitCode } from '../results/exit-code.ts';
import { bundleModules } from '../trial/bundle.ts';
import { loadCatalogue } from '../trial/run.ts';
import { shellQuote } from './arguments.ts';
import type { CertifyRunOptions } from './certify-options.ts';
import type { CliContext } from './context.ts';
import { runSelected } from './run-selected.ts';
import { wholePaths } from './whole-paths.ts';

export interface CertifyMcpOptions extends CertifyRunOptions {
  readonly against: readonly string[];
  readonly tool: string;
  readonly args: JsonObject;
  readonly changedArgs?: JsonObject;
  /** `NAME=VALUE`, with placeholders. */
  readonly env: readonly string[];
}

const gateName = 'mcp';
/** A server of its own, and a connection to it. */
const connectMs = 10_000;

export async function certifyMcpCommand(
  context: CliContext,
  command: readonly string[],
  options: CertifyMcpOptions,
): Promise<ResultsExitCode> {
  if (command.length === 0) {
    throw new UsageError(
      'expected the server’s command behind two dashes, got none; like: killpoint certify mcp --against stripe.keyed --tool create_refund --args \'{"payment":"{paymentIntent}"}\' -- node server.js',
    );
  }
  if (options.against.length === 0) {
    throw new UsageError(
      `expected --against with a service, got none; known: ${context.catalogue.targets.map(({ name }) => name).join(', ')}`,
    );
  }
  const removeTemporaryFolder = context.openTemporaryFolder();
  const folder = await mkdtemp(join(tmpdir(), 'killpoint-mcp-'));
  try {
    const bundles = await bundleModules(
      new Map([['bridge', { module: context.mcpBridge }]]),
      folder,
    );
    const bridge = bundles.get('bridge') ?? '';
    return await certify(context, bridge, command, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
    removeTemporaryFolder();
  }
}

async function certify(
  context: CliContext,
  bridge: string,
  command: readonly string[],
  options: CertifyMcpOptions,
): Promise<ResultsExitCode> {
  const configuration: BridgeConfiguration = {
    command: wholePaths(command, context.workingFolder),
    tool: options.tool,
    args: options.args,
    ...(options.changedArgs === undefined ? {} : { changedArgs: options.changedArgs }),
    env: Object.fromEntries(options.env.map(splitVariable)),
  };
  const gate: GateEntry = {
    name: gateName,
    about: command.join(' '),
    lacks: [],
    run: {
      kind: 'command',
      command: [process.execPath, bridge, JSON.stringify(configuration)],
    },
  };
  const targets = options.against.map((name) => named(context.catalogue.targets, name, 'target'));
  const [first] = targets;
  if (first === undefined) throw new Error('expected a target');
  const { environment } = context;
  await checkServer({ configuration, target: first, environment, timeoutMs: connectMs });
  const subjects = await loadCatalogue({ gates: [gate], targets }, environment);
  const { seed, trials: trialsPerCell, only } = options;
  const plan =
    only === undefined
      ? planGate({
          gate,
          targets: subjects.targets,
          points: [],
          leavesOut: ['premises', 'caps', 'distinct'],
          notFor: whyNotForMcp,
          seed,
          trialsPerCell,
        })
      : planIds({
          ids: [only.split('/').length > 5 ? only : `${gateName}/${first.name}/${only}`],
          gates: [gate],
          targets: subjects.targets,
          trialsPerCell,
          seed,
        });
  const outFolder = resolve(context.workingFolder, options.out);
  const { workers } = options;
  const results = await runSelected(
    context,
    {
      plan,
      subjects,
      chosen: { from: 'ids', trialsPerCell, exclusions: [] },
      outFolder,
      slices: [],
      command: commandOf(command, options),
    },
    { bail: false, ...(workers === undefined ? {} : { workers }) },
  );
  context.print(renderTerminal(results, context));
  const unplaced = ['every point before and after the call, which a server announces to nobody'];
  context.print(`\n${renderDiagnosis({ results, rules: diagnose(results), unplaced })}`);
  const shown = relative(context.workingFolder, outFolder) || '.';
  context.note(`Written into ${shown}; judge again with: npx killpoint judge ${shown}\n`);
  return exitCodeOf(results);
}

function splitVariable(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new UsageError(
    `--env: expected NAME=VALUE, got "${text}"; {url}, {host}, {port} and the names of credentials stand for where the service is`,
  );
}

function commandOf(command: readonly string[], options: CertifyMcpOptions): string {
  const json = (name: string, value: JsonObject | undefined) =>
    value === undefined ? [] : [`--${name} ${shellQuote(JSON.stringify(value))}`];
  return [
    'npx killpoint certify mcp',
    ...options.against.map((name) => `--against ${shellQuote(name)}`),
    `--tool ${shellQuote(options.tool)}`,
    ...json('args', options.args),
    ...json('changed-args', options.changedArgs),
    ...options.env.map((variable) => `--env ${shellQuote(variable)}`),
    `--seed ${options.seed} --`,
    ...command.map(shellQuote),
  ].join(' ');
}
