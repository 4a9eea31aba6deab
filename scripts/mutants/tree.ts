/** A copy of the repository in which one module is mutated at a time. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Mutant } from './mutate.ts';

export const mutatedFolder = 'gate/reference';

export class MutatedTree {
  readonly folder: string;

  /** Whatever git tracks in the repository, as it stands in the working tree. */
  constructor(repository: string) {
    this.folder = mkdtempSync(join(tmpdir(), 'killpoint-mutants-'));
    const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: repository, encoding: 'utf8' });
    for (const path of tracked.split('\0').filter((name) => name !== '')) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      cpSync(join(repository, path), join(this.folder, path));
    }
    symlinkSync(join(repository, 'node_modules'), join(this.folder, 'node_modules'));
  }

  /** The module is whole again when `use` has ended. */
  async with<T>({ file, text }: Mutant, use: () => Promise<T>): Promise<T> {
    const path = join(this.folder, mutatedFolder, file);
    const sound = readFileSync(path, 'utf8');
    writeFileSync(path, text);
    try {
      return await use();
    } finally {
      writeFileSync(path, sound);
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
