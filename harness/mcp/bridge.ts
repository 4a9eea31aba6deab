/**
 * A subject that drives an MCP server as an agent would: each submit is a tool call under a request id of
 * its own. The server is a child in this process's group, so that a kill of the group takes both. It
 * reads its configuration as JSON from the first argument.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { JsonObject } from '../../adapters/target.ts';
import type { Gate, Outcome } from '../../gate/gate.ts';
import type { StartMessage } from '../../gate/protocol.ts';
import { runSubject } from '../../gate/subject.ts';
import { fillArguments } from './arguments.ts';

export interface BridgeConfiguration {
  readonly command: readonly string[];
  readonly tool: string;
  readonly args: JsonObject;
  /** For a request that differs from the first one under a ledger; absent: `args`. */
  readonly changedArgs?: JsonObject;
  /** Environment variables of the server, with placeholders for where the service is. */
  readonly env: Readonly<Record<string, string>>;
}

const configuration = JSON.parse(process.argv[2] ?? '{}') as BridgeConfiguration;

runSubject({
  name: 'mcp',
  version: '1',
  points: [],
  resolves: false,
  asks: false,
  openGate: ({ start }) => openServer(start),
});

async function openServer(start: StartMessage): Promise<Gate> {
  const [program = '', ...args] = configuration.command;
  const client = new Client({ name: 'killpoint', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: program,
      args,
      env: { ...ownEnvironment(), ...filledEnvironment(start) },
      stderr: 'inherit',
    }),
  );
  const { tools } = await client.listTools();
  if (!tools.some(({ name }) => name === configuration.tool)) {
    throw new Error(
      `expected the server to offer the tool ${configuration.tool}, it offers ${tools.map(({ name }) => name).join(', ') || 'none'}`,
    );
  }
  return {
    submit: async ({ request }) => {
      const called = await client.callTool({
        name: configuration.tool,
        arguments: argumentsFor(start.ledger, request),
      });
      const text = JSON.stringify(called.content ?? null).slice(0, 500);
      return called.isError === true ? unclear(text) : happened(text);
    },
    // It has none: what is done again is done because the agent calls again.
    recover: async () => undefined,
    ask: async () => unclear('an MCP server can’t be asked what became of a call'),
    resolve: async () => unclear('an MCP server takes no person’s decision'),
    close: () => client.close(),
  };
}

/** The ledger's folder is all that outlives a kill: there stands what was asked for first. */
function argumentsFor(ledger: string, request: JsonObject): Record<string, unknown> {
  const first = join(ledger, 'first-request.json');
  const text = JSON.stringify(request);
  mkdirSync(ledger, { recursive: true });
  if (!existsSync(first)) writeFileSync(first, text);
  const { args, changedArgs = args } = configuration;
  const template = readFileSync(first, 'utf8') === text ? args : changedArgs;
  return fillArguments(template, request) as Record<string, unknown>;
}

function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

function filledEnvironment({ target }: StartMessage): Record<string, string> {
  const { protocol, host, port } = target.endpoint;
  const known: JsonObject = {
    ...target.credentials,
    url: `${protocol}://${host}:${port}`,
    protocol,
    host,
    port,
  };
  return Object.fromEntries(
    Object.entries(configuration.env).map(([name, value]) => [
      name,
      String(fillArguments(value, known)),
    ]),
  );
}

function happened(evidence: string): Outcome {
  return { ...unclear(evidence), outcome: 'happened', disposition: 'settled' };
}

/** A tool's error says nothing of whether there was an effect: whoever called must look. */
function unclear(evidence: string): Outcome {
  return {
    outcome: 'unknown',
    disposition: 'surfaced',
    final: false,
    state: null,
    entityId: null,
    attempts: 0,
    evidence,
    receipt: null,
  };
}
