/** What a changing world makes of every cell without a fault. The tables are written by hand from the design. */
import { describe, expect, it } from 'vitest';
import type { TargetDeclaration } from '../../adapters/target.ts';
import type { WorldEvent } from './cell.ts';
import type { GuaranteeClass } from './expectation.ts';
import { type KillPoint, killPointNames } from './kill-points.ts';
import { declarations, ended, plain, withPremises } from './testing/classes.ts';

type Column = Exclude<GuaranteeClass, 'window-over'>;
const columns = [
  'dedupes',
  'fence',
  'bound',
  'unbounded',
  'neither',
  'neither-marked',
] as const satisfies readonly Column[];

const kills: readonly KillPoint[] = [...killPointNames, 'during_call:running'];

/** The table of design 9 as it stands: nothing has ended. */
const standing = table(`
before_wal               | A0 → H1 | A0 → H1       | A0 → H1 | A0 → H1       | A0 → H1 | A0 → H1
after_wal_before_call    | H1 → H1 | A0 → H1       | A0 → H1 | U0 → U0       | U0 → U0 | A0 → H1
during_call:now          | H1 → H1 | H1 → H1       | H1 → H1 | H1 → H1       | U1 → U1 | U1 → U1
during_call:later        | H1 → H1 | A0 or H1 → H1 | H1 → H1 | H1 or U1 → H1 | U1 → U1 | U1 → U1
during_call:never        | H1 → H1 | A0 → H1       | A0 → H1 | U0 → U0       | U0 → U0 | U0 → U0
after_call_before_commit | H1 → H1 | H1 → H1       | H1 → H1 | H1 → H1       | U1 → U1 | U1 → U1
after_commit_before_ack  | H1 → H1 | H1 → H1       | H1 → H1 | H1 → H1       | H1 → H1 | H1 → H1
during_call:running      | H1 → H1 | A0 or H1 → H1 | H1 → H1 | H1 or U1 → H1 | U1 → U1 | U1 → U1
`);

/**
 * A dead lease or a stale premise: in the window rows 2 to 6 become U with the effects of the next
 * column, every A0→H1 becomes A0→refused, the rest stands.
 */
const mayNotSend = table(`
before_wal               | A0 → R0 | A0 → R0             | A0 → R0 | A0 → R0       | A0 → R0 | A0 → R0
after_wal_before_call    | U0 → U0 | A0 → R0             | A0 → R0 | U0 → U0       | U0 → U0 | A0 → R0
during_call:now          | U1 → U1 | H1 → H1             | H1 → H1 | H1 → H1       | U1 → U1 | U1 → U1
during_call:later        | U1 → U1 | A0 or H1 → R0 or H1 | H1 → H1 | H1 or U1 → H1 | U1 → U1 | U1 → U1
during_call:never        | U0 → U0 | A0 → R0             | A0 → R0 | U0 → U0       | U0 → U0 | U0 → U0
after_call_before_commit | U1 → U1 | H1 → H1             | H1 → H1 | H1 → H1       | U1 → U1 | U1 → U1
after_commit_before_ack  | H1 → H1 | H1 → H1             | H1 → H1 | H1 → H1       | H1 → H1 | H1 → H1
during_call:running      | U1 → U1 | A0 or H1 → R0 or H1 | H1 → H1 | H1 or U1 → H1 | U1 → U1 | U1 → U1
`);

describe('a lease that is dead by the time of recovery', () => {
  it.each(['authority-revoked', 'authority-expired', 'authority-unreachable'] as const)(
    'lets nothing be sent any more, and everything be learnt that needs no send: %s',
    (world) => {
      expect(shown(world, declarations)).toEqual(mayNotSend);
    },
  );

  it('can’t be told to have expired where the dedupe window ends before', () => {
    const brief = { ...plain, dedupe: { windowMs: 60_000 } };
    expect(ended(brief, { kill: 'before_wal', world: 'authority-expired' })).toBe('cannot-meet');
    expect(ended(brief, { kill: 'before_wal', world: 'authority-revoked' })).toBe('A0 → R0');
  });
});

describe('a premise that is stale by the time of recovery', () => {
  const relying = each((declaration) => withPremises(declaration));

  it.each(['done-by-hand', 'premise-changed', 'premise-changed-and-back:version'] as const)(
    'lets nothing be sent any more, and everything be learnt that needs no send: %s',
    (world) => {
      expect(shown(world, relying)).toEqual(mayNotSend);
    },
  );

  it('is none where the target captures none: what was done by hand stands against nothing', () => {
    expect(shown('done-by-hand', declarations)).toEqual(standing);
    for (const world of ['premise-changed', 'premise-changed-and-back:value'] as const) {
      expect(ended(declarations.dedupes, { kill: 'before_wal', world })).toBe('cannot-meet');
    }
  });

  it('is one of its kind: a value that changed back is the old one, its version is not', () => {
    const byValue = each((declaration) => withPremises(declaration, ['value-equals']));
    const byVersion = each((declaration) => withPremises(declaration, ['version-unchanged']));
    expect(shown('premise-changed-and-back:value', byValue)).toEqual(standing);
    expect(shown('premise-changed-and-back:value', relying)).toEqual(standing);
    expect(shown('premise-changed-and-back:version', byVersion)).toEqual(mayNotSend);
    expect(shown('premise-changed', byValue)).toEqual(mayNotSend);
    const { dedupes } = byValue;
    const other = { kill: 'before_wal', world: 'premise-changed-and-back:version' } as const;
    expect(ended(dedupes, other)).toBe('cannot-meet');
    expect(ended(byVersion.dedupes, { ...other, world: 'premise-changed-and-back:value' })).toBe(
      'cannot-meet',
    );
  });

  it('reads the service before each send, so that some faults can’t be told to meet the send', () => {
    const cut = { fault: 'partition', phase: 'caller' } as const;
    const changed = { kill: 'before_wal', world: 'unrelated-change', fault: cut } as const;
    expect(ended(relying.dedupes, changed)).toBe('cannot-meet');
    expect(ended(declarations.dedupes, changed)).toBe('A0 → H1');
    expect(ended(relying.dedupes, { kill: 'wire:first-byte', world: 'unrelated-change' })).toBe(
      'cannot-meet',
    );
  });
});

describe('a change that ends nothing', () => {
  const relying = each((declaration) => withPremises(declaration));

  it('leaves everything as it was where no premise speaks of it', () => {
    expect(shown('unrelated-change', relying)).toEqual(standing);
    expect(shown('unrelated-change', declarations)).toEqual(standing);
  });

  it('keeps a service that restarts from finishing later what it had not finished', () => {
    const unfinished = ['during_call:later', 'during_call:running'];
    const expected = Object.entries(standing).map(([kill, cells]) => [
      kill,
      unfinished.includes(kill) ? cells.map(() => 'cannot-meet') : cells,
    ]);
    expect(shown('rail-restarted', declarations)).toEqual(Object.fromEntries(expected));
  });

  it('is an effect undone by hand, which took effect all the same, where it is certain to be there', () => {
    const isThere = ['during_call:now', 'after_call_before_commit', 'after_commit_before_ack'];
    const expected = Object.entries(standing).map(([kill, cells]) => [
      kill,
      isThere.includes(kill) ? cells : cells.map(() => 'cannot-meet'),
    ]);
    expect(shown('undone-by-hand', relying)).toEqual(Object.fromEntries(expected));
  });

  it('is no effect undone by hand where a lookup can’t tell it from one that never was', () => {
    const row = columns.map((cls) =>
      ended(declarations[cls], { kill: 'during_call:now', world: 'undone-by-hand' }),
    );
    expect(row).toEqual([
      'H1 → H1',
      'cannot-meet',
      'cannot-meet',
      'cannot-meet',
      'U1 → U1',
      'U1 → U1',
    ]);
  });
});

describe('an outage that ends inside the dedupe window', () => {
  it('changes nothing: every point ends as without it', () => {
    const windowed = { ...declarations.dedupes, dedupe: { windowMs: 86_400_000 } };
    for (const kill of kills) {
      const cell = `${kill}`;
      expect(ended(windowed, { kill, world: 'outage-in-window' }), cell).toBe(
        ended(windowed, { kill }),
      );
    }
  });

  it.each([
    ['no window', declarations.bound],
    ['one without an end', { ...declarations.dedupes, dedupe: { windowMs: 'forever' } as const }],
  ])('can’t be met where there is %s', (_what, declaration) => {
    expect(ended(declaration, { kill: 'during_call:now', world: 'outage-in-window' })).toBe(
      'cannot-meet',
    );
  });
});

describe('a target that dedupes for ever and can be asked, whose absence is never final', () => {
  const both = withPremises({ ...declarations.unbounded, dedupe: { windowMs: 'forever' } });
  const column = (world: WorldEvent) => kills.map((kill) => ended(both, { kill, world }));

  it('sends its key again while it may, and has no window to outlast', () => {
    const resent = ['A0 → H1', ...killPointNames.slice(1).map(() => 'H1 → H1'), 'H1 → H1'];
    expect(column('none')).toEqual(resent);
    expect(column('long-outage')).toEqual(resent);
    expect(column('unrelated-change')).toEqual(resent);
  });

  it.each(['authority-revoked', 'authority-expired', 'done-by-hand'] as const)(
    'looks instead of sending once it may not send any more: %s',
    (world) => {
      expect(column(world)).toEqual([
        'A0 → R0',
        'U0 → U0',
        'H1 → H1',
        'H1 or U1 → H1',
        'U0 → U0',
        'H1 → H1',
        'H1 → H1',
        'H1 or U1 → H1',
      ]);
    },
  );

  it('then comes to the points of a look and meets the faults of one', () => {
    const dead = { kill: 'during_call:now', world: 'authority-revoked' } as const;
    expect(ended(both, { ...dead, recoveryKills: ['before-lookup'] })).toBe('H1 → H1');
    expect(ended(both, { ...dead, recoveryKills: ['before-resend'] })).toBe('cannot-meet');
    const look = { fault: 'reply-lost', phase: 'look' } as const;
    expect(ended(both, { ...dead, fault: look })).toBe('H1 → H1');
    expect(ended(both, { ...dead, world: 'none', fault: look })).toBe('cannot-meet');
  });

  it('asks where a stored failure is all its key is answered with', () => {
    const stored = (fault: 'stored-error-landed' | 'stored-error-lost', from: TargetDeclaration) =>
      ended(from, {
        kill: 'after_call_before_commit',
        fault: { fault, phase: 'first-send' },
      });
    expect(stored('stored-error-landed', both)).toBe('H1 → H1');
    expect(stored('stored-error-lost', both)).toBe('U0 → U0');
    // Absent for good, and the key that would be sent again is answered with the failure it stored.
    const final = { ...both, absence: { landingBoundMs: 100 } };
    expect(stored('stored-error-landed', final)).toBe('H1 → H1');
    expect(stored('stored-error-lost', final)).toBe('A0 → A0');
  });

  it('reads no page that could be old once a fence is what it has left', () => {
    const fenced = { ...both, absence: 'fence' as const };
    const old = { fault: 'stale-read', phase: 'look' } as const;
    const dead = { kill: 'during_call:now', world: 'authority-revoked', fault: old } as const;
    expect(ended(fenced, dead)).toBe('cannot-meet');
    expect(ended(both, dead)).toBe('H1 → H1');
  });
});

describe('a service that permits the effect once by its own state', () => {
  const once = (declaration: TargetDeclaration) => ({ ...declaration, onceByState: true });
  const byHand = (declaration: TargetDeclaration) =>
    kills.map((kill) => ended(once(declaration), { kill, world: 'done-by-hand' }));

  it('leaves nothing to be done by hand where the effect is there, and lets nothing land behind it', () => {
    expect(byHand(withPremises(declarations.bound))).toEqual([
      'A0 → R0',
      'A0 → R0',
      'cannot-meet',
      'A0 → R0',
      'A0 → R0',
      'cannot-meet',
      'cannot-meet',
      'A0 → R0',
    ]);
  });

  it('refuses itself what no premise stands against', () => {
    expect(new Set(byHand(declarations.bound))).toEqual(new Set(['cannot-meet']));
  });
});

describe('a service that refuses a request once what it was decided on has changed', () => {
  const guarded = { ...withPremises(declarations.bound), guardsPremises: true };
  const endingsIn = (world: WorldEvent) => kills.map((kill) => ended(guarded, { kill, world }));

  it('lets nothing land any more that was on its way, and nothing change under what has landed', () => {
    expect(endingsIn('premise-changed')).toEqual([
      'A0 → R0',
      'A0 → R0',
      'cannot-meet',
      'A0 → R0',
      'A0 → R0',
      'cannot-meet',
      'cannot-meet',
      'A0 → R0',
    ]);
  });

  it('lets land what was on its way when everything is as it was', () => {
    expect(endingsIn('premise-changed-and-back:value')).toEqual(
      kills.map((kill) => standing[kill]?.[columns.indexOf('bound')]),
    );
  });

  it('guards nothing that no premise was captured of', () => {
    const { kill, world } = { kill: 'during_call:later', world: 'authority-revoked' } as const;
    expect(ended(guarded, { kill, world })).toBe('H1 → H1');
  });
});

function each(
  change: (declaration: TargetDeclaration) => TargetDeclaration,
): Readonly<Record<Column, TargetDeclaration>> {
  const entries = columns.map((cls) => [cls, change(declarations[cls])] as const);
  return Object.fromEntries(entries) as Record<Column, TargetDeclaration>;
}

function shown(
  world: WorldEvent,
  from: Readonly<Record<Column, TargetDeclaration>>,
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    kills.map((kill) => [kill, columns.map((cls) => ended(from[cls], { kill, world }))]),
  );
}

/** Rows of `kill point | dedupes | fence | bound | unbounded | neither | neither-marked`. */
function table(text: string): Readonly<Record<string, readonly string[]>> {
  const rows = text.trim().split('\n');
  return Object.fromEntries(
    rows.map((row) => {
      const [kill = '', ...cells] = row.split('|').map((cell) => cell.trim());
      return [kill, cells];
    }),
  );
}
