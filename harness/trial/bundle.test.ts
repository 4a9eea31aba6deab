import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundleModules } from './bundle.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'killpoint-test-'));
  write(
    'main.ts',
    "import { rule, other } from './rules.ts';\nexport const says = [rule(), other()];",
  );
  write('rules.ts', "export const rule = () => 'kept';\nexport const other = () => 'untouched';");
  write(
    'broken.ts',
    "import { rule as kept } from './rules.ts';\nexport * from './rules.ts';\nexport const rule = () => 'not ' + kept();",
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a bundle with a module replaced', () => {
  it('holds what stands in, which still sees what it stands in for', async () => {
    const bundles = await bundleModules(
      new Map([
        ['sound', { module: path('main.ts') }],
        [
          'broken',
          { module: path('main.ts'), replaces: { [path('rules.ts')]: path('broken.ts') } },
        ],
      ]),
      join(folder, 'out'),
    );
    expect(load(bundles.get('sound'))).toEqual({ says: ['kept', 'untouched'] });
    expect(load(bundles.get('broken'))).toEqual({ says: ['not kept', 'untouched'] });
  });

  it('is refused where nothing imports what is to be replaced', async () => {
    const replaces = { [path('unknown.ts')]: path('broken.ts') };
    const bundled = bundleModules(
      new Map([['broken', { module: path('main.ts'), replaces }]]),
      join(folder, 'out'),
    );
    await expect(bundled).rejects.toThrow(/expected .*main\.ts to import .*unknown\.ts/);
  });
});

const path = (name: string) => join(folder, name);

function write(name: string, text: string): void {
  writeFileSync(path(name), text);
}

function load(bundle = ''): unknown {
  return { ...(createRequire(import.meta.url)(bundle) as object) };
}
