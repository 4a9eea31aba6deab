/** Quantiles of measured durations, by nearest rank: always a value that was measured. */

export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly samples: number;
}

export function quantilesOf(valuesMs: readonly number[]): Quantiles {
  const sorted = [...valuesMs].sort((one, other) => one - other);
  return {
    p50: round(atRank(sorted, 0.5)),
    p99: round(atRank(sorted, 0.99)),
    samples: sorted.length,
  };
}

export function medianOf(values: readonly number[]): number {
  return quantilesOf(values).p50;
}

export interface Spread {
  readonly least: number;
  readonly median: number;
  readonly most: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return {
    least: round(Math.min(...values)),
    median: medianOf(values),
    most: round(Math.max(...values)),
  };
}

/** Three decimals: a thousandth of a millisecond, or of a ratio. */
export function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function atRank(sorted: readonly number[], quantile: number): number {
  const value = sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)];
  if (value === undefined) throw new Error('expected at least one measured value, got none');
  return value;
}
