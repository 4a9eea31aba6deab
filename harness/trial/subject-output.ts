/**
 * Keeps what a subject prints on stdout or stderr as evidence: up to a cap in a file, the rest read and
 * thrown away, so that a subject is never blocked by its own talk. A subject that printed nothing
 * leaves no file.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';

export const outputCapBytes = 1024 * 1024;

export interface KeptOutput {
  /** Closes the file; what comes later is not kept. */
  close(): void;
}

export interface OutputOptions {
  readonly path: string;
  /** Called once, when the cap is passed. */
  readonly onFlood: () => void;
  /** The file can't be written, so the evidence is lost. */
  readonly onLost: (error: unknown) => void;
}

export function keepOutput(stream: Readable, options: OutputOptions): KeptOutput {
  let file: number | null = null;
  let left = outputCapBytes;
  let open = true;
  stream.on('data', (chunk: Buffer) => {
    if (!open || left < 0) return;
    try {
      file ??= openSync(options.path, 'w');
      if (left > 0) writeSync(file, chunk.subarray(0, left));
    } catch (error) {
      left = -1;
      options.onLost(error);
      return;
    }
    const over = chunk.length > left;
    left = over ? -1 : left - chunk.length;
    if (over) options.onFlood();
  });
  stream.on('error', () => {
    // A broken pipe ends like a closed one, and is waited for as such.
  });
  return {
    close() {
      open = false;
      if (file !== null) closeSync(file);
      file = null;
    },
  };
}
