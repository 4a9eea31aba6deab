/**
 * GitHub itself as a rail. In: a token and the name of a sandbox repository, from the environment. Out:
 * namespaces, each with pull requests or an issue made for one trial there, whose journal is read from
 * GitHub. It does nothing wrong by itself: whatever goes wrong goes wrong on the wire.
 *
 * It must never touch another repository, and must not send a byte before a trial begins.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPlaces } from '../places.ts';
import type { CreateRail, Rail, RailNamespace } from '../rail.ts';
import type { Endpoint, JsonObject } from '../target.ts';
import { nameOf } from './configuration.ts';
import { type LiveClient, openLiveClient, textAt } from './live-client.ts';
import { commentEvents, exampleComments, makeComments } from './live-comments.ts';
import { openLiveGuard } from './live-guard.ts';
import { exampleMerges, makeMerges, mergeEvents } from './live-merges.ts';
import {
  githubEndpoint,
  type LiveSettings,
  type ReadyGitHub,
  readLiveSettings,
} from './live-settings.ts';

export const createRail = (async ({ options, environment }): Promise<Rail> => {
  const parsed = parseOptions(options);
  const settings = readLiveSettings(environment);
  return settings.kind === 'ready' ? openGitHub(settings, parsed) : closedRail(settings, parsed);
}) satisfies CreateRail;

/** Says why nothing runs, and what could. */
function closedRail(
  { kind, why }: Extract<LiveSettings, { readonly why: string }>,
  options: LiveOptions,
): Rail {
  const credentials = { token: 'none', repository: 'no/sandbox' };
  return {
    name: 'github.live',
    ...(kind === 'refused' ? { refused: why } : { unavailable: why }),
    openNamespace: async (id) => {
      if (id !== 'declaration') throw new Error(`GitHub live rail: ${why}`);
      return describeNamespace(githubEndpoint, credentials, options);
    },
    close: async () => undefined,
  };
}

async function openGitHub(settings: ReadyGitHub, options: LiveOptions): Promise<Rail> {
  const { token, personToken, sandbox } = settings;
  const guard = await openLiveGuard(settings.endpoint, sandbox);
  const { endpoint } = guard;
  const subject = openLiveClient(endpoint, token, sandbox);
  const maker = personToken === null ? subject : openLiveClient(endpoint, personToken, sandbox);
  // Of its own, so that the journal shares nothing with what makes effects.
  const reader = openLiveClient(endpoint, personToken ?? token, sandbox);
  const places = createPlaces(options.trialsAtOnce);
  const run = `${new Date().toISOString()} ${randomBytes(4).toString('hex')}`;
  const repository = nameOf(sandbox);
  const credentials = { token, repository };
  let login: Promise<string | null> | null = null;
  return {
    name: 'github.live',
    openNamespace: async (trial) => {
      if (trial === 'declaration') return describeNamespace(endpoint, credentials, options);
      await places.take();
      try {
        login ??= personToken === null ? Promise.resolve(null) : otherLogin(maker, subject);
        const personLogin = await login;
        const make = options.operation === 'merge' ? makeMerges : makeComments;
        const scene = await make({ sandbox, maker, reader, personLogin, run, trial });
        return {
          ...describeNamespace(endpoint, credentials, options),
          ...(personToken !== null && { personCredentials: { token: personToken, repository } }),
          ...scene,
          idle: () => guard.isIdle(),
          effects: async () => {
            await sleep(options.lagMs);
            return scene.effects();
          },
          close: async () => {
            try {
              await scene.clean();
            } finally {
              places.leave();
            }
          },
        };
      } catch (error) {
        places.leave();
        throw error;
      }
    },
    close: () => guard.close(),
  };
}

/** People's login; null where it is the subject's own, or a token has none. */
async function otherLogin(person: LiveClient, subject: LiveClient): Promise<string | null> {
  try {
    const [theirs = '', own = ''] = await Promise.all(
      [person, subject].map(async (client) =>
        textAt(await client.call('read whose token it is', 'GET /user'), 'login'),
      ),
    );
    return theirs === '' || theirs === own ? null : theirs;
  } catch {
    // A token of an app has none: then labels tell them apart, as where there is one token.
    return null;
  }
}

/** What any namespace of this rail could do, said without anything at GitHub behind it. */
function describeNamespace(
  endpoint: Endpoint,
  credentials: JsonObject,
  { operation }: LiveOptions,
): RailNamespace {
  const nothing = async (): Promise<never> => {
    throw new Error('GitHub live rail: this namespace has nothing at GitHub. Run a trial.');
  };
  const isMerge = operation === 'merge';
  return {
    endpoint,
    credentials,
    examples: (seed) => (isMerge ? exampleMerges([]) : exampleComments(seed, 1)),
    effects: nothing,
    worldEvents: isMerge ? mergeEvents : commentEvents,
    world: nothing,
  };
}

interface LiveOptions {
  readonly operation: 'merge' | 'comment';
  readonly lagMs: number;
  /** Trials that have something at GitHub at a time: what keeps a run below its limits. */
  readonly trialsAtOnce: number;
}

function parseOptions(options: JsonObject): LiveOptions {
  const { operation, lagMs = 0, trialsAtOnce = 1, ...unknown } = options;
  if (Object.keys(unknown).length > 0) {
    throw new Error(
      `GitHub live rail: options may hold operation, lagMs and trialsAtOnce; also came ${Object.keys(unknown).join(', ')}. Remove what is not one of them.`,
    );
  }
  if (operation !== 'merge' && operation !== 'comment') {
    throw new Error(
      `GitHub live rail: operation must be merge or comment; came ${JSON.stringify(operation)}. Name what its trials are about.`,
    );
  }
  if (!isWhole(lagMs, 0) || !isWhole(trialsAtOnce, 1)) {
    throw new Error(
      `GitHub live rail: lagMs must be a whole number of milliseconds and trialsAtOnce one from 1; came ${JSON.stringify({ lagMs, trialsAtOnce })}. Leave them out for 0 and 1.`,
    );
  }
  return { operation, lagMs, trialsAtOnce };
}

function isWhole(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least;
}
