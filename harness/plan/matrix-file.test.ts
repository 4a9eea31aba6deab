import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from '../model/errors.ts';
import { assertSubjectsKnown, loadMatrix, locateMatrix } from './matrix-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'killpoint-matrix-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const small = {
  name: 'small',
  title: 'One cell',
  seed: 1,
  slices: [
    {
      gates: ['reference'],
      targets: ['stripe.keyed'],
      kills: 'all',
      faults: ['none'],
      worlds: ['none'],
      callers: ['same-again'],
      trialsPerCell: 1,
    },
  ],
  exclusions: [],
  cannotMeet: 0,
};

function load(reference: string) {
  return loadMatrix({ reference, matricesFolder: folder, workingFolder: folder });
}

function write(name: string, content: unknown): void {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(join(folder, name), text);
}

async function refusal(reference: string): Promise<string> {
  try {
    await load(reference);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error('expected a UsageError, and the matrix was loaded');
}

describe('a matrix on disk', () => {
  it('is found by its name and by a path relative to the working folder', async () => {
    write('small.json', small);
    expect((await load('small')).name).toBe('small');
    expect((await load('./small.json')).name).toBe('small');
  });

  it('that nobody knows is refused with the known ones', async () => {
    write('small.json', small);
    expect(await refusal('smal')).toContain('unknown matrix "smal"; known: ');
  });

  it('that is not there is refused with its path', async () => {
    expect(await refusal('nowhere/x.json')).toContain(join(folder, 'nowhere/x.json'));
  });

  it('that is no JSON is refused with its path and the place', async () => {
    write('broken.json', '{"name": ');
    expect(await refusal('./broken.json')).toMatch(/expected JSON in .*broken\.json/);
  });

  it('with an unknown axis value is refused with the value and the known ones', async () => {
    const [slice] = small.slices;
    write('odd.json', { ...small, slices: [{ ...slice, faults: ['reply-lots@resend'] }] });
    const message = await refusal('./odd.json');
    expect(message).toContain('unknown fault "reply-lots@resend"');
    expect(message).toContain('reply-lost@resend');
    expect(message).toContain('slices[0].faults[0]');
  });

  it.each([
    [
      'kills',
      ['before_wal', 'after_wal'],
      'unknown kill point "after_wal"; known: before_wal, ',
      1,
    ],
    ['kills', ['before_wal+ownd'], 'unknown recovery point "ownd"; known: owned, ', 0],
    ['kills', ['x+owned'], 'unknown kill point "x"; known: before_wal, ', 0],
    ['worlds', ['none', 'flood'], 'unknown world event "flood"; known: none, done-by-hand, ', 1],
    ['callers', ['twice'], 'unknown caller behaviour "twice"; known: same-again, ', 0],
    ['callers', [7], 'expected the name of a caller behaviour, got 7', 0],
  ])(
    'with %s %j is refused with what came, where, and what is known',
    async (axis, values, why, at) => {
      const [slice] = small.slices;
      write('odd.json', { ...small, slices: [{ ...slice, [axis]: values }] });
      const message = await refusal('./odd.json');
      expect(message).toContain(why);
      expect(message).toContain(`slices[0].${axis}[${at}]`);
    },
  );

  it.each(['kills', 'faults', 'worlds', 'callers'])(
    'without %s says what belongs there',
    async (axis) => {
      const [slice] = small.slices;
      const { [axis as 'kills']: _, ...rest } = slice ?? { kills: 'all' };
      write('odd.json', { ...small, slices: [rest] });
      const message = await refusal('./odd.json');
      expect(message).toMatch(/expected ("all" or )?a list of [a-z ]+s, got nothing/);
      expect(message).toContain(`slices[0].${axis}`);
    },
  );

  it('may kill recovery too', async () => {
    const [slice] = small.slices;
    const kills = ['after_wal_before_call+owned+before-resend'];
    write('again.json', { ...small, slices: [{ ...slice, kills }] });
    expect((await load('./again.json')).slices[0]?.kills).toEqual(kills);
  });

  it('of the package is known as such however it is named', async () => {
    write('small.json', small);
    const locate = (reference: string, workingFolder: string) =>
      locateMatrix({ reference, matricesFolder: folder, workingFolder });
    expect((await locate('small', '/')).from).toBe('package');
    expect((await locate('./small.json', folder)).from).toBe('package');
    expect((await locate('./small.json', '/')).from).toBe('file');
  });

  it('that names a gate or a target nobody knows is refused with its place', async () => {
    write('small.json', small);
    const matrix = await load('small');
    const known = { gates: [{ name: 'refrence' }], targets: [{ name: 'stripe.keyd' }] };
    expect(() => assertSubjectsKnown(matrix, known)).toThrow(
      /small\.json.*unknown gate "reference"; known: refrence\n.*slices\[0\]\.gates\[0\].*unknown target "stripe.keyed"/s,
    );
    const all = { gates: [{ name: 'reference' }], targets: [{ name: 'stripe.keyed' }] };
    expect(() => assertSubjectsKnown(matrix, all)).not.toThrow();
  });

  it('with a field too many is refused with the field', async () => {
    write('extra.json', { ...small, trails: 3 });
    expect(await refusal('./extra.json')).toContain('trails');
  });
});
