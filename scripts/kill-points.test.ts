import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allKillPoints } from '../harness/model/kill-points.ts';
import { renderDoc } from './kill-points.ts';

describe('the page of kill points', () => {
  it('is what docs/kill-points.md says; `npm run kill-points -- --write` renders it', () => {
    const path = new URL('../docs/kill-points.md', import.meta.url);
    expect(readFileSync(path, 'utf8')).toBe(renderDoc());
  });

  it('has a row for every point, and says of the three it can’t place on the wire why', () => {
    const page = renderDoc();
    for (const point of allKillPoints) expect(page).toContain(`| \`${point}\` |`);
    expect(page.match(/can’t be: /g)).toHaveLength(3);
    expect(page).toContain('| `after_wal_before_call` | `wire:connection`, `wire:first-byte` |');
    expect(page).toContain('| `during_call:later` | itself |');
  });
});
