/** A subject runs in a folder of its own, so what names a file from here must name it from anywhere. */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

export function wholePaths(command: readonly string[], workingFolder: string): readonly string[] {
  return command.map((word) => {
    const path = resolve(workingFolder, word);
    return existsSync(path) && statSync(path).isFile() ? path : word;
  });
}
