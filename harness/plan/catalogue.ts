/**
 * The gates and target variants that can be named in a matrix. Plain data: where the modules stand,
 * which options they get, and which rules a gate is known to lack. A user's own gate or target is
 * described in exactly this form.
 */
import type { RailFault, RailWorldEvent } from '../../adapters/rail.ts';
import type { Endpoint, JsonObject, TargetDeclaration } from '../../adapters/target.ts';
import { baselineLacks } from '../model/baseline-lacks.ts';
import type { Condemnation } from '../model/condemned.ts';
import type { RuleName } from '../model/rules.ts';
import { keyedTargets, smtpTargets } from './email-targets.ts';
import { githubTargets } from './github-targets.ts';

export interface GateEntry {
  readonly name: string;
  /** One line for people. */
  readonly about: string;
  readonly lacks: readonly RuleName[];
  /** Where one of those rules was removed on purpose: the cells that show it; absent: what is found is derived. */
  readonly condemned?: readonly Condemnation[] | undefined;
  /** A module to bundle and run with node, or a command that is run as it stands. */
  readonly run:
    | { readonly kind: 'module'; readonly module: string; readonly replaces?: Replacements }
    | { readonly kind: 'command'; readonly command: readonly string[] };
  /** Whoever opens it a database of its own for each trial, named to it in DATABASE_URL; absent: it needs none. */
  readonly database?: ModuleReference;
}

export interface ModuleReference {
  readonly module: string;
  readonly export: string;
  readonly options: JsonObject;
  readonly replaces?: Replacements;
}

/**
 * Modules that stand in for others in a bundle, by the path of what they stand in for. One that stands
 * in takes over what it does not change with `export * from` the original, which it alone still sees.
 */
export type Replacements = Readonly<Record<string, string>>;

export interface TargetEntry {
  readonly name: string;
  readonly about: string;
  readonly target: ModuleReference;
  readonly rail: ModuleReference;
  /** Where it was broken on purpose: the cells that show it; absent: it was not. */
  readonly condemned?: readonly Condemnation[] | undefined;
}

/** An entry whose declaration has been read from the module itself. */
export interface DeclaredTarget extends TargetEntry {
  readonly declaration: TargetDeclaration;
  /** The faults its rail can do, and whether it can move its clock. */
  readonly railCan: readonly RailFault['kind'][];
  readonly railMovesClock: boolean;
  /** The events of the world its rail can perform. */
  readonly railWorlds: readonly RailWorldEvent[];
  /** Whether its rail can stand still over an effect, and whether its examples name an amount to cap. */
  readonly railHolds: boolean;
  readonly railCaps: boolean;
  readonly railSpeaks: Endpoint['protocol'];
  /** Why nothing can be run against it here; null where it can. */
  readonly railUnavailable: string | null;
  /** Why nothing may be run against it with what was given; absent where it may. */
  readonly railRefused?: string;
}

export interface Catalogue {
  readonly gates: readonly GateEntry[];
  readonly targets: readonly TargetEntry[];
}

/** What a local stand-in is waited for; declared lags, bounds and timeouts are at most 200 ms here. */
const localClientTimeoutMs = 200;
/** A transaction is a handshake and half a dozen round trips, which a busy machine needs longer for. */
const postgresClientTimeoutMs = 500;

/** Two and more pages of refunds in a trial, so that paging is always part of a lookup. */
const localLookup = { lagMs: 40, pageSize: 3 };
const localLandingBoundMs = 80;

/**
 * Stripe itself, in test mode, for the time of a trial. None of these is Stripe's word: it answers a
 * refund within a second or two, its lists are the documented way to read one's own writes, and how long
 * a received request can still land is published nowhere. `adapters/stripe/README.md` has what they are
 * in production.
 */
const liveClientTimeoutMs = 10_000;
const liveLagMs = 1_000;
const liveLandingBoundMs = 20_000;

/** `root` is the folder that holds `gate/` and `adapters/`; `extension` is `.ts` from source, `.js` when built. */
export function builtInCatalogue(root: string, extension: '.ts' | '.js'): Catalogue {
  const at = (path: string) => `${root}/${path}${extension}`;
  const gate = (
    name: string,
    module: string,
    about: string,
    lacks: readonly RuleName[],
  ): GateEntry => ({
    name,
    about,
    lacks,
    run: { kind: 'module', module: at(module) },
  });
  const baseline = (name: keyof typeof baselineLacks, about: string): GateEntry =>
    gate(name, `gate/baselines/${name}`, about, baselineLacks[name]);
  const targetsOf =
    (adapter: string) =>
    (
      name: string,
      about: string,
      targetOptions: JsonObject,
      railOptions: JsonObject,
    ): TargetEntry => ({
      name,
      about,
      target: {
        module: at(`adapters/${adapter}/target`),
        export: 'createTarget',
        options: { clientTimeoutMs: localClientTimeoutMs, ...targetOptions },
      },
      rail: { module: at(`adapters/${adapter}/rail`), export: 'createRail', options: railOptions },
    });
  const stripe = targetsOf('stripe');
  const liveStripe = (name: string, about: string, targetOptions: JsonObject): TargetEntry => ({
    name,
    about,
    target: {
      module: at('adapters/stripe/target'),
      export: 'createTarget',
      options: { ...targetOptions, clientTimeoutMs: liveClientTimeoutMs },
    },
    rail: {
      module: at('adapters/stripe/live-rail'),
      export: 'createRail',
      options: { lagMs: liveLagMs },
    },
  });
  const ledgered = targetsOf('ledgered');
  const postgres = targetsOf('postgres');
  return {
    gates: [
      gate('reference', 'gate/reference/main', 'the gate that must hold everywhere', []),
      baseline('naive', 'a job table that reruns work under a fresh key'),
      baseline('key-only', 'a job table with a stable key'),
      {
        ...baseline('queue', 'an outbox in Postgres that delivers at least once'),
        database: {
          module: at('adapters/postgres/rail'),
          export: 'createApplicationDatabases',
          options: {},
        },
      },
      baseline(
        'hand-check',
        'a job table that asks, checks and then calls, as a careful hand writes it',
      ),
      baseline('refuse-all', 'never does anything'),
      gate(
        'owner-by-timeout',
        'gate/broken/owner-by-timeout',
        'the reference gate, owning by a lease that runs out',
        ['owner-proven-dead'],
      ),
    ],
    targets: [
      stripe('stripe.keyed', 'Stripe refunds with idempotency keys', { variant: 'keyed' }, {}),
      stripe(
        'stripe.story',
        'the same with round amounts: $100 paid, $20 approved',
        { variant: 'keyed' },
        { examples: { paidMinor: 10_000, amountMinor: 2_000 } },
      ),
      stripe(
        'stripe.blind',
        'Stripe refunds on an account that ignores keys',
        { variant: 'blind' },
        { ignoreKeys: true },
      ),
      stripe(
        'stripe.lookup',
        'Stripe refunds found by their stamp, absent for good after a landing bound',
        { variant: 'lookup', ...localLookup, landingBoundMs: localLandingBoundMs },
        { ignoreKeys: true, lagMs: localLookup.lagMs },
      ),
      stripe(
        'stripe.unbounded',
        'Stripe refunds found by their stamp, where absence is never final',
        { variant: 'unbounded', ...localLookup },
        { ignoreKeys: true, lagMs: localLookup.lagMs },
      ),
      ledgered(
        'ledgered.fence',
        'ledger entries, stopped by a fence that a resend takes over',
        { variant: 'fence', lagMs: localLookup.lagMs },
        { lagMs: localLookup.lagMs },
      ),
      ledgered(
        'ledgered.marked',
        'ledger entries that can’t be asked about, with a mark of no return',
        { variant: 'marked' },
        {},
      ),
      postgres(
        'postgres.unique',
        'credits in Postgres, one row a decision by its primary key',
        { variant: 'unique', clientTimeoutMs: postgresClientTimeoutMs },
        {},
      ),
      postgres(
        'postgres.fenced',
        'credits in Postgres, stopped by a tombstone that a resend takes over',
        { variant: 'fenced', clientTimeoutMs: postgresClientTimeoutMs },
        {},
      ),
      postgres(
        'postgres.lookup',
        'credits in Postgres without a key, absent for good after a landing bound',
        // A trial keeps the bound itself: a late request is to land late, and not to be ended by the server.
        {
          variant: 'lookup',
          landingBoundMs: localLandingBoundMs,
          enforceBound: false,
          clientTimeoutMs: postgresClientTimeoutMs,
        },
        {},
      ),
      ...smtpTargets(targetsOf('email/smtp')),
      ...keyedTargets(targetsOf('email/keyed')),
      liveStripe('stripe.live', 'refunds at Stripe itself, in test mode, with idempotency keys', {
        variant: 'keyed',
      }),
      liveStripe(
        'stripe.live-lookup',
        'refunds at Stripe itself, in test mode, found by their stamp and not by their key',
        { variant: 'lookup', lagMs: liveLagMs, landingBoundMs: liveLandingBoundMs, pageSize: 3 },
      ),
      ...githubTargets({
        at,
        lookup: localLookup,
        clientTimeoutMs: localClientTimeoutMs,
      }),
    ],
  };
}
