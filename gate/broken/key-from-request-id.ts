/** Stands in for `reference/gate.ts`: the caller's id of a request is what sets a decision apart. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../adapters/target.ts';
import type { Gate } from '../gate.ts';
import { createGate as create, type GateOptions } from '../reference/gate.ts';

export * from '../reference/gate.ts';

export function createGate(options: GateOptions): Gate {
  const gate = create(options);
  // Who asks what became of a request names no id; the last one is meant.
  const lastId = join(options.ledger, 'last-request-id');
  const named = (request: JsonObject): JsonObject =>
    existsSync(lastId) ? { ...request, distinct: readFileSync(lastId, 'utf8') } : request;
  return {
    submit: (proposal) => {
      writeFileSync(lastId, proposal.requestId);
      return gate.submit({ ...proposal, request: named(proposal.request) });
    },
    recover: () => gate.recover(),
    ask: (request) => gate.ask(named(request)),
    resolve: (request, resolution) => gate.resolve(named(request), resolution),
    close: () => gate.close(),
  };
}
