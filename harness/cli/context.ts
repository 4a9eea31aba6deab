/** What a command gets from the process it runs in, so that commands can be run without one. */
import type { Catalogue } from '../plan/catalogue-entry.ts';

export interface CliContext {
  /** Where results go that other programs may read. */
  readonly print: (text: string) => void;
  /** What is said to people while things happen. */
  readonly note: (text: string) => void;
  readonly progressStream: NodeJS.WritableStream;
  readonly progressIsTerminal: boolean;
  /** Columns to write tables for. */
  readonly width: number;
  readonly colour: boolean;
  readonly workingFolder: string;
  readonly matricesFolder: string;
  readonly version: string;
  readonly catalogue: Catalogue;
  /** The module whose `reduceTarget` makes somebody's target declare less. */
  readonly reducer: string;
  /** The module that drives an MCP server as a subject. */
  readonly mcpBridge: string;
  /** What `init` makes projects of. */
  readonly templatesFolder: string;
  readonly cores: number;
  /** Environment variables, for the rails alone. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly residentMemoryBytes: () => number;
  /** Calls back on the first request to stop; returns how to stop listening. */
  readonly onInterrupt: (stop: () => void) => () => void;
  /** Calls back, synchronously, when the process has to end at once; returns how to call that off. */
  readonly onExit: (cleanUp: () => void) => () => void;
  /** A temporary folder for everything that is started from now on; returns how to remove it. */
  readonly openTemporaryFolder: () => () => void;
}
