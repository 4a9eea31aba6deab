import { describe, expect, it } from 'vitest';
import { killPoints, wireKillPoints } from '../model/kill-points.ts';
import { sampleExcluded, sampleRecord, sampleResults } from '../results/testing/sample.ts';
import { renderMarkdown } from './markdown.ts';
import { notOnWire, renderWirePoints, standInsFor } from './wire-points.ts';

const at = (kill: string, gate = 'reference') =>
  sampleRecord({ id: `${gate}/stripe.keyed/${kill}/none/none/same-again/1` });

describe('the places on the wire', () => {
  it('leave out exactly the announced points for which none stands, each with its reason', () => {
    const stoodFor = standInsFor().map(({ point }) => point);
    const left = killPoints.filter(
      ({ point, placedBy }) => placedBy === 'announced' && !stoodFor.includes(point),
    );
    expect(Object.keys(notOnWire)).toEqual(left.map(({ point }) => point));
  });

  it('each stand for one named point, or for none', () => {
    expect(standInsFor().flatMap(({ by }) => by)).toEqual(
      wireKillPoints.flatMap(({ point, standsFor }) => (standsFor === null ? [] : [point])),
    );
  });
});

describe('the report of a run', () => {
  it('says nothing of the wire where it placed no kill', () => {
    expect(renderWirePoints(sampleResults([sampleRecord(), sampleExcluded()]))).toBe('');
    expect(renderMarkdown(sampleResults([sampleRecord()]))).not.toContain('placed by the wire');
  });

  it('says for which named points its kills on the wire stand, and which are out of reach', () => {
    const results = sampleResults([
      at('wire:first-byte'),
      at('wire:connection', 'naive'),
      at('wire:connection'),
      at('wire:half-reply'),
    ]);
    const text = renderWirePoints(results);
    expect(text).toContain(
      '`wire:connection` and `wire:first-byte` stand for `after_wal_before_call`; `wire:half-reply` stands for `during_call:now`.',
    );
    expect(text).not.toContain('wire:whole-reply');
    expect(text).toContain('`before_wal`, because nothing has been sent yet');
    expect(renderMarkdown(results)).toContain(text);
  });

  it('does not pass a whole reply off as a point of its own', () => {
    const text = renderWirePoints(sampleResults([at('wire:whole-reply')]));
    expect(text).toContain('`wire:whole-reply` stands for none, as the answer may');
  });

  it('counts no kill of a trial that proved nothing', () => {
    const missed = { ...at('wire:applied'), verdict: 'inconclusive' as const };
    expect(renderWirePoints(sampleResults([missed]))).toBe('');
  });
});
