import { describe, expect, it } from 'vitest';
import { fillArguments } from './arguments.ts';

const request = { paymentIntent: 'pi_1', amountMinor: 2000 };

describe('the arguments of a tool', () => {
  it('keep the type of a field that stands alone, and are texts where it does not', () => {
    const template = {
      payment: '{paymentIntent}',
      amount: '{amountMinor}',
      note: 'for {amountMinor}',
      deep: [{ fixed: true }],
    };
    expect(fillArguments(template, request)).toEqual({
      payment: 'pi_1',
      amount: 2000,
      note: 'for 2000',
      deep: [{ fixed: true }],
    });
  });

  it('name what is there where a placeholder is of nothing', () => {
    expect(() => fillArguments('{payment}', request)).toThrow(
      /expected placeholders of paymentIntent, amountMinor, got \{payment\}/,
    );
  });
});
