/**
 * The shape of the project: which way imports point, that they run in no circle, and that the lock
 * file names no registry.
 */
import { readFileSync } from 'node:fs';
import { cruise, type IFlattenedRuleSet } from 'dependency-cruiser';
import { describe, expect, it } from 'vitest';

const root = new URL('..', import.meta.url).pathname;
const ruleSet: IFlattenedRuleSet = {
  forbidden: [
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'model-imports-nothing-of-the-harness',
      severity: 'error',
      from: { path: '^harness/model/' },
      to: { path: '^harness/(?!model/)' },
    },
    {
      name: 'checkers-and-reports-are-pure',
      severity: 'error',
      from: { path: '^harness/(checkers|reports)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(node:)?(fs|child_process|net|http|https|tls|process|worker_threads)(/|$)' },
    },
    {
      name: 'only-the-command-line-imports-the-command-line',
      severity: 'error',
      from: { pathNot: '^harness/cli/' },
      to: { path: '^harness/cli/' },
    },
    {
      name: 'gates-and-targets-do-without-the-harness',
      severity: 'error',
      from: { path: '^(gate|adapters)/', pathNot: '\\.test\\.ts$|/testing/' },
      to: { path: '^harness/' },
    },
    {
      name: 'gates-and-targets-do-without-zod',
      severity: 'error',
      from: { path: '^(gate/|adapters/.*target\\.ts$)' },
      to: { path: 'node_modules/zod/' },
    },
    {
      name: 'a-target-does-not-know-its-stand-in',
      severity: 'error',
      from: { path: '^adapters/.*/target\\.ts$' },
      to: { path: '/rail\\.ts$', reachable: true },
    },
  ],
};

async function violations(files: readonly string[], baseDir: string): Promise<readonly string[]> {
  const { output } = await cruise([...files], {
    baseDir,
    ruleSet,
    validate: true,
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|scripts/testing)/' },
  });
  if (typeof output === 'string')
    throw new Error('expected a result object from dependency-cruiser');
  return output.summary.violations.map(
    (violation) => `${violation.rule.name}: ${violation.from} → ${violation.to}`,
  );
}

describe('the shape of the project', () => {
  it('has imports that point toward the model and run in no circle', async () => {
    expect(await violations(['harness', 'gate', 'adapters', 'scripts'], root)).toEqual([]);
  }, 60_000);

  it('would notice an import that points the wrong way', async () => {
    const fixture = new URL('./testing/wrong-way', import.meta.url).pathname;
    const found = await violations(['harness', 'gate'], fixture);
    expect(found).toContain(
      'gates-and-targets-do-without-the-harness: gate/reaches-up.ts → harness/model/thing.ts',
    );
    expect(found.some((violation) => violation.startsWith('no-circle'))).toBe(true);
  }, 60_000);

  it('names no registry in the lock file', () => {
    const lock = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
    expect(lock).not.toContain('"resolved"');
    expect(lock).not.toMatch(/https?:\/\/[^"]*registry/);
  });
});
