/** `killpoint init target NAME`: a target, a rail, a test and a CI file that run as they stand. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { UsageError } from '../model/errors.ts';
import type { CliContext } from './context.ts';

export interface InitRequest {
  readonly name: string;
  /** Where the folder is made; absent: in the working folder, under the name. */
  readonly dir?: string;
}

/** Where each template goes. */
const placed: Readonly<Record<string, string>> = {
  'certify.yml': '.github/workflows/certify.yml',
};

export async function initTargetCommand(
  context: CliContext,
  { name, dir }: InitRequest,
): Promise<0> {
  if (!/^[a-z][a-z0-9-]*$/.test(name)) {
    throw new UsageError(
      `expected a name of small letters, digits and dashes that begins with a letter, got "${name}"`,
    );
  }
  const folder = resolve(context.workingFolder, dir ?? name);
  if (existsSync(folder) && (await readdir(folder)).length > 0) {
    throw new UsageError(
      `expected a folder that is not there yet, or is empty, got ${folder}; nothing was written. Name another with --dir`,
    );
  }
  const templates = join(context.templatesFolder, 'target');
  for (const file of await readdir(templates)) {
    const path = join(folder, placed[file] ?? file);
    const text = await readFile(join(templates, file), 'utf8');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, fill(text, name, context.version));
  }
  const shown = relative(context.workingFolder, folder) || '.';
  context.print(
    [
      `Made ${shown}: target.ts, rail.ts, target.test.ts, a README and a CI file.`,
      `  cd ${shown} && npm install && npm run certify`,
      'As it stands it is certified as neither: nothing is declared. README.md says where to go from there.',
      '',
    ].join('\n'),
  );
  return 0;
}

function fill(text: string, name: string, version: string): string {
  return text
    .replaceAll('NAME_TOKEN', `${name.replaceAll('-', '_').toUpperCase()}_TOKEN`)
    .replaceAll('NAME', name)
    .replaceAll('VERSION', version);
}
