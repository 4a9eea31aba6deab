/**
 * What can go wrong on the way to a service, as data: who does it, in which phases it can be armed,
 * and what it leaves of a send it meets. The expectation reads it; docs are rendered from it.
 */
import type { RailFault } from '../../adapters/rail.ts';

/** `look` is any lookup in recovery; it can meet only targets that can be asked. */
export const phaseNames = ['first-send', 'look', 'resend', 'caller'] as const;
export type Phase = (typeof phaseNames)[number];

/** When a request takes effect: at once, after its sender is dead or has given up, or never. */
export type Landing = 'now' | 'later' | 'never';

export interface FaultFacts {
  readonly meaning: string;
  readonly by: 'wire' | 'rail';
  readonly phases: readonly Phase[];
  /** What becomes of a send it meets; a lookup it meets tells nothing. */
  readonly landing: Landing;
  /** Whether a whole request was given to the service or the wire before the end. */
  readonly reached: boolean;
  /** `forever`: nothing gets through any more. `sticky`: no later answer to a send can be believed. */
  readonly lasts: 'once' | 'sticky' | 'forever';
  /** Whether the answer is the service's definite word that nothing happened, which settles what it answers. */
  readonly definite: 'no' | 'for-now' | 'for-good';
  /** `stored-keys`: only a service that keeps them can do it. `a-read`: planting a fence is no read. */
  readonly needs: 'nothing' | 'stored-keys' | 'a-read';
}

const sends: readonly Phase[] = ['first-send', 'resend', 'caller'];
const everywhere: readonly Phase[] = ['first-send', 'look', 'resend', 'caller'];

function fault(
  by: FaultFacts['by'],
  phases: readonly Phase[],
  landing: Landing,
  meaning: string,
  more: Partial<FaultFacts> = {},
): FaultFacts {
  return {
    meaning,
    by,
    phases,
    landing,
    reached: true,
    lasts: 'once',
    definite: 'no',
    needs: 'nothing',
    ...more,
  };
}

/** What the wire can do wrong by itself, against every service. */
const wireFaultTable = {
  'request-lost': fault(
    'wire',
    everywhere,
    'never',
    'the request is lost on the way and the connection is reset',
  ),
  'reply-lost': fault('wire', everywhere, 'now', 'the service answers and the answer is lost'),
  'error-before-apply': fault(
    'wire',
    everywhere,
    'never',
    'a 503 comes back and the service never saw the request',
  ),
  'error-after-apply': fault('wire', sends, 'now', 'the service did it and a 504 comes back'),
  'late-apply': fault(
    'wire',
    sends,
    'later',
    'the request is held on the way and lands after its sender has given up',
  ),
  partition: fault(
    'wire',
    everywhere,
    'never',
    'the first connection fails, later ones get through',
    { reached: false },
  ),
  'partition-forever': fault('wire', everywhere, 'never', 'no connection gets through any more', {
    reached: false,
    lasts: 'forever',
  }),
  slow: fault('wire', sends, 'now', 'the answer comes after the client has given up'),
  'foreign-reply': fault('wire', sends, 'now', "the answer is another effect's"),
  'foreign-reply-sticky': fault(
    'wire',
    sends,
    'now',
    "every answer from now on is another effect's",
    {
      lasts: 'sticky',
    },
  ),
  'truncated-reply': fault('wire', sends, 'now', 'the answer breaks off in the middle'),
} as const satisfies Readonly<Record<string, FaultFacts>>;

/** What only the rail can do, because only it knows its own answers. */
const railFaultTable = {
  'stored-error-landed': fault(
    'rail',
    ['first-send', 'caller'],
    'now',
    'it took effect, and a 500 is stored and replayed under the key',
    {
      lasts: 'sticky',
      needs: 'stored-keys',
    },
  ),
  'stored-error-lost': fault(
    'rail',
    ['first-send', 'caller'],
    'never',
    'it took no effect, and a 500 is stored and replayed under the key',
    {
      lasts: 'sticky',
      needs: 'stored-keys',
    },
  ),
  'in-flight-conflict': fault(
    'rail',
    ['resend'],
    'never',
    'the service says an earlier request under this key is still running',
    { needs: 'stored-keys' },
  ),
  'refused-401': fault('rail', ['resend'], 'never', 'the second attempt is refused with 401', {
    needs: 'stored-keys',
  }),
  'refused-429': fault('rail', ['resend'], 'never', 'the second attempt is refused with 429', {
    needs: 'stored-keys',
  }),
  'refused-for-now': fault(
    'rail',
    ['first-send', 'caller'],
    'never',
    'the service refuses the attempt by its own rules, and would not refuse the next',
    { definite: 'for-now' },
  ),
  'refused-for-good': fault(
    'rail',
    ['first-send', 'caller'],
    'never',
    'the service refuses by its own rules what it will never do',
    { definite: 'for-good' },
  ),
  'half-done': fault(
    'rail',
    sends,
    'now',
    'it took effect, what the service does after it was left undone, and a 502 comes back',
  ),
  'stale-read': fault('rail', ['look'], 'never', 'lookups lag behind by the declared bound', {
    needs: 'a-read',
  }),
  'lookup-401': fault('rail', ['look'], 'never', 'the lookup is refused with 401'),
  'lookup-429': fault('rail', ['look'], 'never', 'the lookup is refused with 429'),
  'lookup-500': fault('rail', ['look'], 'never', 'the lookup is answered 500'),
  'lookup-empty': fault(
    'rail',
    ['look'],
    'never',
    'the lookup gets an empty page that says there is another',
  ),
  paged: fault(
    'rail',
    ['look'],
    'never',
    'look-alikes stand before the effect, which is on a later page',
    { needs: 'a-read' },
  ),
  'paged-changing': fault('rail', ['look'], 'never', 'the pages change while they are read', {
    needs: 'a-read',
  }),
} as const satisfies Readonly<Record<string, FaultFacts>>;

export const faultTable = { ...wireFaultTable, ...railFaultTable };
export type WireFaultName = keyof typeof wireFaultTable;
export type RailFaultName = keyof typeof railFaultTable;
export type FaultKind = WireFaultName | RailFaultName;
export const faultKinds = Object.keys(faultTable) as readonly FaultKind[];

export function isWireFault(kind: FaultKind): kind is WireFaultName {
  return kind in wireFaultTable;
}

/** What the rail is told to do. */
export function railFaultOf(kind: RailFaultName): RailFault {
  switch (kind) {
    case 'stored-error-landed':
      return { kind: 'stored-error', landed: true };
    case 'stored-error-lost':
      return { kind: 'stored-error', landed: false };
    case 'in-flight-conflict':
      return { kind: 'in-flight-conflict', times: 2 };
    case 'refused-401':
      return { kind: 'refused', status: 401 };
    case 'refused-429':
      return { kind: 'refused', status: 429 };
    case 'refused-for-now':
      return { kind: 'turned-down', forGood: false };
    case 'refused-for-good':
      return { kind: 'turned-down', forGood: true };
    case 'half-done':
      return { kind: 'half-done' };
    case 'stale-read':
      return { kind: 'stale-read' };
    case 'lookup-401':
      return { kind: 'lookup-error', how: 401 };
    case 'lookup-429':
      return { kind: 'lookup-error', how: 429 };
    case 'lookup-500':
      return { kind: 'lookup-error', how: 500 };
    case 'lookup-empty':
      return { kind: 'lookup-error', how: 'empty-claims-more' };
    case 'paged':
      return { kind: 'paged', lookAlikes: 3, changes: false };
    case 'paged-changing':
      return { kind: 'paged', lookAlikes: 3, changes: true };
    default:
      return kind satisfies never;
  }
}
