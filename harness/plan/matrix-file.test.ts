import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from '../model/errors.ts';
import { loadMatrix } from './matrix-file.ts';

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
    expect(message).toContain('slices[0].faults');
  });

  it('with a field too many is refused with the field', async () => {
    write('extra.json', { ...small, trails: 3 });
    expect(await refusal('./extra.json')).toContain('trails');
  });
});
