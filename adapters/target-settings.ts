/**
 * How targets read what they are configured with, whatever the service. In: endpoint, credentials and
 * options as they were written. Out: checked values, or an error that says what was expected, what came
 * and what to do.
 */
import type { Endpoint, JsonObject } from './target.ts';

/** setTimeout takes 31 bits and fires at once beyond them; so long is any wait at the most. */
export const longestTimerMs = 0x7fffffff;

export interface CountSetting {
  readonly name: string;
  /** What it is where it is left out. */
  readonly unless: number;
  readonly least: number;
  /** Absent: as much as a timer takes. */
  readonly most?: number;
}

/** `who` is how messages name the target, such as `Stripe target`. */
export function settingsOf(who: string) {
  return {
    /** `what` is `options` or `credentials`, or more exactly which. */
    refuseUnknown(what: string, given: JsonObject, known: readonly string[]): void {
      const unknown = Object.keys(given).filter((field) => !known.includes(field));
      if (unknown.length === 0) return;
      throw new Error(
        `${who}: ${what} may hold ${known.join(', ')}; also came ${unknown.join(', ')}. Remove what is not one of them.`,
      );
    },

    readCount(
      options: JsonObject,
      { name, unless, least, most = longestTimerMs }: CountSetting,
    ): number {
      const value = options[name] ?? unless;
      if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) {
        return value;
      }
      throw new Error(
        `${who}: ${name} must be an integer from ${least} to ${most}; came ${JSON.stringify(value)}. Leave it out for ${unless}.`,
      );
    },

    readSwitch(options: JsonObject, name: string, unless: boolean): boolean {
      const value = options[name] ?? unless;
      if (typeof value === 'boolean') return value;
      throw new Error(
        `${who}: ${name} must be true or false; came ${JSON.stringify(value)}. Leave it out for ${unless}.`,
      );
    },

    /** `instead` says what the service speaks. */
    requireHttp({ protocol, caPem }: Endpoint, instead: string): 'http' | 'https' {
      if (protocol !== 'http' && protocol !== 'https') {
        throw new Error(
          `${who}: endpoint.protocol must be http or https; came ${protocol}. ${instead}`,
        );
      }
      if (protocol === 'http' && caPem !== undefined) {
        throw new Error(
          `${who}: endpoint.caPem goes with https; came protocol http. Use https or leave caPem out.`,
        );
      }
      return protocol;
    },
  };
}
