/**
 * A subject that drives an MCP server as an agent would: each submit is a tool call under a request id of
 * its own. The server is a child in this process's group, so that a kill of the group takes both. It
 * reads its configuration as JSON from the first argument.
 */
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { JsonObject } from '../../adapters/target.ts';
import type { Gate, Outcome } from '../../gate/gate.ts';
import type { StartMessage } from '../../gate/protocol.ts';
import { runSubject } from '../../gate/subject.ts';
import { fillArguments } from './arguments.ts';
import type { BridgeConfiguration } from './configuration.ts';
import { connectServer, serverTransport } from './connect-server.ts';

const configuration = JSON.parse(process.argv[2] ?? '{}') as BridgeConfiguration;
/** Less than a subject has to say that it is ready. */
const connectMs = 10_000;
/** A server that breaks its connection every time is called so often and no more. */
const callsMost = 3;

runSubject({
  name: 'mcp',
  version: '1',
  points: [],
  resolves: false,
  asks: false,
  openGate: async ({ start }): Promise<Gate> => {
    const agent = new Agent(start);
    await agent.connected();
    return {
      submit: ({ request }) => agent.call(argumentsFor(start.ledger, request)),
      // It has none: what is done again is done because the agent calls again.
      recover: async () => undefined,
      ask: async () => unclear('an MCP server can’t be asked what became of a call'),
      resolve: async () => unclear('an MCP server takes no person’s decision'),
      close: () => agent.close(),
    };
  },
});

class Agent {
  readonly #start: StartMessage;
  #connection: Promise<Client> | null = null;

  constructor(start: StartMessage) {
    this.#start = start;
  }

  /** One connection for all calls that are under way. */
  connected(): Promise<Client> {
    this.#connection ??= connectServer(
      configuration,
      serverTransport(configuration, this.#start.target, 'inherit'),
      connectMs,
    );
    return this.#connection;
  }

  /** Issued again after a broken connection; what the server itself says of it is its answer. */
  async call(filled: Record<string, unknown>): Promise<Outcome> {
    for (let calls = 1; ; calls += 1) {
      const connection = this.connected();
      try {
        const client = await connection;
        const answer = await callOnce(client, filled);
        if (answer.kind === 'answered') return answer.outcome;
        if (calls >= callsMost) {
          return unclear(`the connection broke in each of ${calls} calls: ${answer.why}`);
        }
      } catch (error) {
        // What can't be started again is told to the agent as any failed call is.
        if (calls >= callsMost) return unclear(`the server did not connect again: ${error}`);
      }
      if (this.#connection === connection) this.#connection = null;
    }
  }

  async close(): Promise<void> {
    await (await this.#connection)?.close();
  }
}

type Answered =
  | { readonly kind: 'answered'; readonly outcome: Outcome }
  | { readonly kind: 'broken'; readonly why: string };

async function callOnce(client: Client, filled: Record<string, unknown>): Promise<Answered> {
  try {
    const called = await client.callTool({ name: configuration.tool, arguments: filled });
    const text = JSON.stringify(called.content ?? null).slice(0, 500);
    return {
      kind: 'answered',
      outcome: called.isError === true ? unclear(text) : happened(text),
    };
  } catch (error) {
    // A client whose connection is gone has no transport any more.
    return client.transport === undefined
      ? { kind: 'broken', why: String(error) }
      : { kind: 'answered', outcome: unclear(String(error)) };
  }
}

/** The ledger's folder is all that outlives a kill: there stands what was asked for first. */
function argumentsFor(ledger: string, request: JsonObject): Record<string, unknown> {
  const text = JSON.stringify(request);
  const { args, changedArgs = args } = configuration;
  const isFirst = firstRequest(ledger, text) === text;
  return fillArguments(
    isFirst ? args : changedArgs,
    request,
    isFirst ? '--args' : '--changed-args',
  ) as Record<string, unknown>;
}

/** Written whole under another name and then linked: of processes that ask at once one is the first. */
function firstRequest(ledger: string, text: string): string {
  const first = join(ledger, 'first-request.json');
  const own = join(ledger, `request-${process.pid}.json`);
  mkdirSync(ledger, { recursive: true });
  writeFileSync(own, text);
  try {
    linkSync(own, first);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(own);
  }
  return readFileSync(first, 'utf8');
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
