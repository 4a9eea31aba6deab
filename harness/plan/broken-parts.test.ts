import { describe, expect, it } from 'vitest';
import { parseId } from '../model/cell.ts';
import { declareTargets } from '../trial/lab.ts';
import { brokenParts } from './broken-parts.ts';
import { named, whyUnreachable } from './plan.ts';
import { wholeCatalogue } from './whole-catalogue.ts';

const root = new URL('../..', import.meta.url).pathname.replace(/\/$/, '');
const parts = brokenParts();

describe('what is broken on purpose', () => {
  it('has a name of its own each, and declares what must be seen', () => {
    const names = parts.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, cells, finding } of parts) {
      expect(cells.length, name).toBeGreaterThan(0);
      expect(cells.length, `${name}: the fewest cells that show it`).toBeLessThanOrEqual(3);
      expect(cells[0]?.findings, `${name}: its first cell`).toContain(finding);
    }
  });

  it('stands in the catalogue, and its cells can be come to', async () => {
    const catalogue = wholeCatalogue(root, '.ts');
    const cells = parts.flatMap((part) => part.cells.map(({ cell }) => cell));
    const parsed = cells.map((id) => {
      const read = parseId(id);
      if (read.kind === 'not-an-id') throw new Error(read.why);
      return { id, cell: read.cell };
    });
    const used = catalogue.targets.filter(({ name }) =>
      parsed.some(({ cell }) => cell.target === name),
    );
    const targets = await declareTargets(used);
    for (const { id, cell } of parsed) {
      const gate = named(catalogue.gates, cell.gate, 'gate');
      const target = named(targets, cell.target, 'target');
      expect(whyUnreachable(cell, gate, target), id).toBeNull();
    }
  });

  it.each([
    ['gate', gateRules()],
    ['target', targetRules()],
  ] as const)('covers every rule that a %s is to be tried without', (kind, names) => {
    const there = parts.filter((part) => part.kind === kind).map(({ name }) => name);
    expect(there).toEqual(expect.arrayContaining([...names]));
  });
});

function gateRules(): readonly string[] {
  return [
    'no-write-first',
    'intent-after-call',
    'fresh-key',
    'key-from-request-id',
    'clock-in-key',
    'retry-on-timeout',
    'never-reconciles',
    'first-page-absence',
    'absence-before-lag',
    'bound-from-send',
    'errored-lookup-absent',
    'matches-by-amount',
    'believes-any-reply',
    'no-lease-recheck',
    'no-premise-recheck',
    'authority-before-learning',
    'own-effect-as-change',
    'payload-unbound',
    'owner-by-timeout',
    'claim-lost-on-exception',
    'refusal-of-second',
    'new-key-after-stored-500',
    'reopens-settled',
    'guesses-done',
    'guesses-absent',
    'surfaces-everything',
    'refuses-everything',
    'resend-after-window',
    'tombstone-as-done',
    'audit-skipped',
    'receipt-lies',
    'swallows-second',
    'cap-outside-transaction',
    'budget-in-memory',
  ];
}

function targetRules(): readonly string[] {
  return [
    'key-not-sent',
    'random-key',
    'one-page',
    'stamp-not-sent',
    'stamp-from-wrong-field',
    'sdk-retries-on',
    'stale-index',
    'answers-early',
    'error-as-success',
    'tier-overstated',
    'window-overstated',
    'bound-overstated',
    'precondition-as-fence',
    'premise-at-recovery',
    'mail-key-not-sent',
    'mail-window-overstated',
    'mark-after-dot',
    'lost-reply-as-refusal',
  ];
}
