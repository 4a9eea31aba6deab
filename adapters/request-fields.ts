/**
 * How requests for effects are checked, whatever the service. In: a field of a request. Out: its value,
 * or an InvalidRequestError that says what was expected, what came and what to do. An amount is never
 * rounded, guessed or defaulted.
 */
import { InvalidRequestError, type JsonObject, type JsonValue } from './target.ts';

/** `what`: how messages name the request, such as `Refund request`. */
export class RequestFields {
  readonly #what: string;
  readonly #request: JsonObject;

  /** Throws for a field that is none of these. */
  constructor(what: string, request: JsonObject, known: readonly string[]) {
    this.#what = what;
    this.#request = request;
    const unknown = Object.keys(request).filter((field) => !known.includes(field));
    if (unknown.length > 0) {
      throw new InvalidRequestError(
        `${what}: expected the fields ${known.join(', ')}; also came ${unknown.join(', ')}. Remove what is not one of them.`,
      );
    }
  }

  operation(expected: string, todo: string): void {
    if (this.#request.operation === expected) return;
    throw this.invalid('operation', `'${expected}'`, todo);
  }

  /** The approval's name is the gate's business; here it only has to be one. */
  distinct(): void {
    const { distinct } = this.#request;
    if (distinct === undefined || (typeof distinct === 'string' && distinct !== '')) return;
    throw this.invalid(
      'distinct',
      'a non-empty string or no field',
      'Name the approval that makes this a decision of its own, or leave it out',
    );
  }

  text(field: string, shape: RegExp, { expected, todo }: Wanted): string {
    const value = this.#request[field];
    if (typeof value === 'string' && shape.test(value)) return value;
    throw this.invalid(field, expected, todo);
  }

  /** `example`: how an amount is written, such as `20.00 dollars as 2000`. */
  amountMinor(example: string): number {
    const value = this.#request.amountMinor;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
    throw this.invalid('amountMinor', 'a positive integer in minor units', `Write ${example}`);
  }

  currency(example: string): string {
    return this.text('currency', /^[a-z]{3}$/, {
      expected: 'a three-letter code in lower case',
      todo: `Write it as '${example}'`,
    });
  }

  get(field: string): JsonValue | undefined {
    return this.#request[field];
  }

  invalid(field: string, expected: string, todo: string): InvalidRequestError {
    const came = this.#request[field];
    const shown = came === undefined ? 'nothing' : JSON.stringify(came).slice(0, 80);
    return new InvalidRequestError(
      `${this.#what}: ${field} must be ${expected}; came ${shown}. ${todo}.`,
    );
  }
}

export interface Wanted {
  readonly expected: string;
  readonly todo: string;
}
