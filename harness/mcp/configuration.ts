/** How a server is started and which of its tools is called; the bridge gets it as JSON. */
import type { JsonObject } from '../../adapters/target.ts';

export interface BridgeConfiguration {
  readonly command: readonly string[];
  readonly tool: string;
  readonly args: JsonObject;
  /** For a request that differs from the first one under a ledger; absent: `args`. */
  readonly changedArgs?: JsonObject;
  /** Environment variables of the server, with placeholders for where the service is. */
  readonly env: Readonly<Record<string, string>>;
}
