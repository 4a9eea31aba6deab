/** Starts an MCP server beside the service of a trial and connects to it, with the official client. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Endpoint, JsonObject } from '../../adapters/target.ts';
import { fillArguments } from './arguments.ts';
import type { BridgeConfiguration } from './configuration.ts';

export interface Service {
  readonly endpoint: Endpoint;
  readonly credentials: JsonObject;
}

/** A server that is not connected to yet, so that whoever connects can read what it complains of. */
export function serverTransport(
  { command, env }: BridgeConfiguration,
  service: Service,
  stderr: 'inherit' | 'pipe',
): StdioClientTransport {
  const [program = '', ...args] = command;
  return new StdioClientTransport({
    command: program,
    args,
    env: { ...ownEnvironment(stderr === 'inherit'), ...filledEnvironment(env, service) },
    stderr,
  });
}

/** Throws where nothing that speaks MCP answers, or the tool is not offered. */
export async function connectServer(
  { tool }: BridgeConfiguration,
  transport: StdioClientTransport,
  timeoutMs: number,
): Promise<Client> {
  const client = new Client({ name: 'killpoint', version: '1' });
  try {
    await client.connect(transport, { timeout: timeoutMs });
    const { tools } = await client.listTools(undefined, { timeout: timeoutMs });
    if (tools.some(({ name }) => name === tool)) return client;
    const offered = tools.map(({ name }) => name).join(', ') || 'none';
    throw new Error(`expected the server to offer the tool ${tool}, it offers ${offered}`);
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** A bridge has only what a subject is given; whoever else starts a server gives it no more than that. */
function ownEnvironment(isBridge: boolean): Record<string, string> {
  const given = isBridge ? Object.keys(process.env) : ['PATH', 'HOME', 'TMPDIR', 'LANG'];
  return Object.fromEntries(
    given.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function filledEnvironment(
  env: BridgeConfiguration['env'],
  { endpoint, credentials }: Service,
): Record<string, string> {
  const { protocol, host, port } = endpoint;
  const url = `${protocol}://${host}:${port}`;
  const known: JsonObject = { ...credentials, url, protocol, host, port };
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      String(fillArguments(value, known, '--env')),
    ]),
  );
}
