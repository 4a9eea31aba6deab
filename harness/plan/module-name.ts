/** What a module of the user's is called in ids. In: its path. Out: a name. Pure. */
import { basename, dirname, extname } from 'node:path';

/** File names that say nothing of what is in them; their folder does. */
const sayingLittle = ['target', 'gate', 'index', 'main'];

/** Ids are made of it, so it holds nothing that a path or a shell would take for its own. */
export function nameOfModule(path: string): string {
  const stem = basename(path, extname(path));
  const name = sayingLittle.includes(stem) ? basename(dirname(path)) : stem;
  return name.replaceAll(/[^A-Za-z0-9._-]+/g, '-') || 'unnamed';
}
