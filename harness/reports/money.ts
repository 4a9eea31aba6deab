/** Amounts of effects in words, where their substance names one: `amountMinor` in a `currency`. Pure. */
import type { JsonObject } from '../../adapters/target.ts';
import { counted } from './rerun.ts';

/** `$20`, `$20 and €5`, `1 effect` where nothing says how much it was, `nothing` for none. */
export function sumInWords(substances: readonly JsonObject[]): string {
  const sums = new Map<string, number>();
  let unpriced = 0;
  for (const { amountMinor, currency } of substances) {
    if (typeof amountMinor === 'number' && typeof currency === 'string') {
      sums.set(currency, (sums.get(currency) ?? 0) + amountMinor);
    } else {
      unpriced += 1;
    }
  }
  const parts = [
    ...[...sums].map(([currency, minor]) => formatMoney(minor, currency)),
    ...(unpriced === 0 ? [] : [counted(unpriced, 'effect')]),
  ];
  return parts.length === 0 ? 'nothing' : parts.join(' and ');
}

/** Whole amounts stand without their cents. */
function formatMoney(minor: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
  const { maximumFractionDigits = 0 } = format.resolvedOptions();
  return format.format(minor / 10 ** maximumFractionDigits).replace(/\.0+$/, '');
}
