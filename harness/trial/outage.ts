/**
 * What changes while nobody runs: performed at the service by other people, at the authority, or on the
 * clocks, and then looked at by the harness itself, since a change that did not happen proves nothing.
 */
import type { RailNamespace } from '../../adapters/rail.ts';
import type { JsonObject } from '../../adapters/target.ts';
import { HarnessError } from '../model/errors.ts';
import type { ObservedEvent } from '../model/history.ts';
import type { TrialSpec } from '../model/trial.ts';
import { beyondLeaseMs, leaseLifeMs, shareOfWindow, worldFacts } from '../model/world-table.ts';
import type { PremiseWitness } from './premise-witness.ts';
import type { TrialLease } from './trial-lease.ts';

/** How far past the end of a dedupe window a long outage reaches. */
const beyondWindowMs = 3_600_000;

export interface OutageInput {
  readonly spec: TrialSpec;
  readonly namespace: RailNamespace;
  readonly lease: TrialLease;
  /** Null where the request is submitted without premises. */
  readonly premises: PremiseWitness | null;
  readonly request: JsonObject;
}

/** Null where nothing is to change. */
export async function letWorldMove(
  input: OutageInput,
): Promise<Extract<ObservedEvent, { type: 'world' }> | null> {
  const { spec, namespace, lease, premises } = input;
  const { world } = spec.cell;
  if (world === 'none') return null;
  let clockOffsetMs = 0;
  switch (world) {
    case 'authority-revoked':
      lease.revoke();
      break;
    case 'authority-unreachable':
      lease.cutOff();
      break;
    case 'authority-expired':
      clockOffsetMs = leaseLifeMs + beyondLeaseMs;
      // The service's windows are longer than that, so its clock is moved only where it can be.
      namespace.setClock?.(clockOffsetMs);
      break;
    case 'long-outage':
      clockOffsetMs = moveClock(namespace, windowOf(spec) + beyondWindowMs);
      break;
    case 'outage-in-window':
      clockOffsetMs = moveClock(namespace, Math.floor(windowOf(spec) * shareOfWindow));
      break;
    default:
      await performAtService(input);
  }
  return {
    type: 'world',
    event: world,
    clockOffsetMs,
    premises: premises === null ? null : await premises.check(await ownStamp(namespace)),
    authority: await lease.standing(Date.now() + clockOffsetMs),
  };
}

/** Nothing where there is none, and where it has no end. */
function windowOf({ declaration }: TrialSpec): number {
  const windowMs = declaration.dedupe?.windowMs ?? 0;
  return windowMs === 'forever' ? 0 : windowMs;
}

function moveClock(namespace: RailNamespace, clockOffsetMs: number): number {
  if (namespace.setClock === undefined) {
    throw new HarnessError(
      'rail-cannot',
      'the rail can’t move its clock, so no window can be crossed',
    );
  }
  namespace.setClock(clockOffsetMs);
  return clockOffsetMs;
}

async function performAtService({ spec, namespace, request }: OutageInput): Promise<void> {
  const { world, target } = spec.cell;
  const event = worldFacts(world).performs;
  if (
    event === null ||
    namespace.world === undefined ||
    namespace.worldEvents?.includes(event) !== true
  ) {
    throw new HarnessError('rail-cannot', `the rail of ${target} can’t do ${world}`);
  }
  try {
    await namespace.world(event, request);
  } catch (error) {
    throw new HarnessError(
      'rail-cannot',
      `the rail of ${target} failed at ${world}: ${String(error)}`,
      error,
    );
  }
}

/** What the subject's effect is stamped with, so that it is not taken for somebody else's change. */
async function ownStamp(namespace: RailNamespace): Promise<string | null> {
  const effects = await namespace.effects();
  return effects.find(({ actor }) => actor === 'subject')?.stamp ?? null;
}
