/**
 * The gates and target variants that can be named in a matrix. Plain data: where the modules stand,
 * which options they get, and which rules a gate is known to lack. A user's own gate or target is
 * described in exactly this form.
 */
import type { JsonObject } from '../../adapters/target.ts';
import { baselineLacks } from '../model/baseline-lacks.ts';
import type { RuleName } from '../model/rules.ts';
import type { Catalogue, GateEntry, TargetEntry } from './catalogue-entry.ts';
import { keyedTargets, smtpTargets } from './email-targets.ts';
import { githubTargets } from './github-targets.ts';

/** What a local stand-in is waited for, unless its protocol takes longer; lags, bounds and timeouts are as short here. */
const localClientTimeoutMs = 200;
/** A transaction is a handshake and half a dozen round trips, which a busy machine needs longer for. */
const postgresClientTimeoutMs = 500;
/** What is late is done only when it is committed, which syncs a log. */
const postgresLandingBoundMs = 120;

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
          landingBoundMs: postgresLandingBoundMs,
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
