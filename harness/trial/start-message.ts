/** What a subject is started with: where its target stands, and where the service and the authority are. */
import type { Endpoint, JsonObject } from '../../adapters/target.ts';
import type { StartMessage } from '../../gate/protocol.ts';
import type { Lab, LoadedTarget } from './lab.ts';

export interface StartGiven {
  readonly target: LoadedTarget;
  readonly authority: Lab['authority'];
  /** Where the subject finds the service: the wire, where one is between. */
  readonly endpoint: Endpoint;
  readonly credentials: JsonObject;
  readonly ledger: string;
  readonly clockOffsetMs?: number;
  readonly armed?: StartMessage['armed'];
}

export function startMessage(given: StartGiven): StartMessage {
  const { target, authority, endpoint, credentials, ledger, clockOffsetMs = 0, armed = [] } = given;
  const { declared, modulePath } = target;
  return {
    type: 'start',
    protocol: 1,
    ledger,
    target: {
      module: modulePath,
      export: declared.target.export,
      endpoint,
      credentials,
      options: declared.target.options,
    },
    authority: { url: authority.url },
    declaration: declared.declaration,
    clockOffsetMs,
    armed: [...armed],
  };
}
