/** How many trials run side by side when nobody says. In: cores. Out: workers. */

/** As many as can be asked for. */
const most = 256;

/**
 * Half as many again as there are cores: more than a quarter of a trial is waiting, for a client's
 * timeout or a declared bound, and with as many workers as cores nobody uses the core meanwhile.
 */
export function usualWorkers(cores: number): number {
  return Math.min(most, Math.ceil(1.5 * cores));
}
