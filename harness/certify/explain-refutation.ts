/**
 * Why a cell refutes a declaration, in one sentence that names the target's file: a table of patterns of
 * what was found, what the target relied on there, and what the wire saw. The first that fits speaks. Pure.
 */
import type { Capability } from '../../adapters/reduced-target.ts';
import { readFacts } from '../checkers/facts.ts';
import { mutatingRequests, type WireRequest } from '../checkers/requests.ts';
import type { History } from '../model/history.ts';
import type { TrialRecord } from '../model/results.ts';
import { formatSpan } from './describe-class.ts';

export interface Refuted {
  /** The target's file, as people call it. */
  readonly file: string;
  readonly record: TrialRecord;
  readonly reliedOn: Capability | null;
  readonly premisesMisjudged: boolean;
  readonly history: History;
}

interface Pattern {
  readonly applies: (clue: Clue) => boolean;
  readonly says: (clue: Clue) => string;
}

/** What the patterns look at. */
interface Clue extends Refuted {
  readonly found: (finding: string) => boolean;
  readonly sent: readonly WireRequest[];
  readonly keys: readonly (string | null)[];
  readonly bodies: number;
  readonly fault: string;
}

export function explainRefutation(refuted: Refuted): string {
  const clue = clueOf(refuted);
  const pattern = patterns.find(({ applies }) => applies(clue));
  const said = pattern?.says(clue) ?? refuted.record.findings[0]?.message ?? 'it did not hold';
  return `${refuted.file}: ${said}`;
}

const twice = (clue: Clue) => clue.found('two-effects');
const onDedupe = (clue: Clue) => clue.reliedOn === 'dedupe';
const looking = (clue: Clue) =>
  clue.reliedOn === 'lookup' || clue.reliedOn === 'bound' || clue.reliedOn === 'fence';

const patterns: readonly Pattern[] = [
  {
    applies: ({ premisesMisjudged }) => premisesMisjudged,
    says: ({ history }) =>
      `after ${history.spec.cell.world} validate did not say what had become of the premises`,
  },
  {
    applies: ({ found }) => found('stale-premise'),
    says: () => 'validate let a send out although a premise had changed before it',
  },
  {
    applies: ({ found }) => found('hidden-retry'),
    says: ({ sent }) =>
      `the client sent again by itself within one call of apply (${sent.length} requests on the wire); turn its retries off`,
  },
  {
    applies: (clue) => twice(clue) && onDedupe(clue) && clue.keys.length > 1,
    says: () => 'the second request for one decision carried another key than the first',
  },
  {
    applies: (clue) =>
      twice(clue) && onDedupe(clue) && clue.history.spec.cell.world === 'outage-in-window',
    says: ({ history }) =>
      `the service had forgotten the key inside the declared window of ${windowOf(history)}, and did the second request too`,
  },
  {
    applies: (clue) => twice(clue) && onDedupe(clue) && clue.keys[0] === null,
    says: () =>
      'no request carried a key (Idempotency-Key), and the service did the second request for one decision too',
  },
  {
    applies: (clue) => twice(clue) && onDedupe(clue) && clue.bodies > 1,
    says: () =>
      'the second request under the same key had another body, and the service did it too',
  },
  {
    applies: (clue) => twice(clue) && onDedupe(clue),
    says: () =>
      'the service did the same request under the same key twice, so its keys mean nothing',
  },
  {
    applies: (clue) => twice(clue) && clue.reliedOn === 'bound' && landsLate(clue),
    says: ({ history }) =>
      `a request landed later than the declared bound of ${boundOf(history)}, when it had been taken for absent`,
  },
  {
    applies: (clue) => twice(clue) && clue.reliedOn === 'fence' && landsLate(clue),
    says: () => 'a request landed behind the fence that was to stop it',
  },
  {
    applies: (clue) => twice(clue) && looking(clue) && clue.fault.startsWith('paged'),
    says: () => 'query took the effect for absent that was on a later page',
  },
  {
    applies: (clue) => twice(clue) && looking(clue) && clue.fault === 'stale-read',
    says: () =>
      'query took the effect for absent when the declared lag of its lookups was not over',
  },
  {
    applies: (clue) => twice(clue) && looking(clue) && clue.fault !== 'none',
    says: ({ fault }) => `query took a lookup that told nothing (${fault}) for a proof of absence`,
  },
  {
    applies: (clue) => twice(clue) && looking(clue),
    says: () => 'query said absent although the effect was there, and it was sent again',
  },
  {
    applies: ({ found, reliedOn }) =>
      reliedOn === 'mark' && (found('silent-loss') || found('two-effects') || found('guessed')),
    says: () =>
      'what was sent took effect before markNoReturn was called, so that it was taken for never sent',
  },
  {
    applies: ({ found }) => found('phantom'),
    says: () => 'apply said landed, and the journal never held the effect',
  },
  {
    applies: ({ found }) => found('wrong-entity'),
    says: () => 'an answer or a lookup named an effect that is not the one this decision made',
  },
  {
    applies: (clue) => looking(clue) && clue.found('silent-loss'),
    says: () => 'query said absent although the effect was there',
  },
  {
    applies: ({ found }) => found('silent-loss'),
    says: () => 'apply said refused although the effect was there',
  },
  {
    applies: (clue) => looking(clue) && clue.found('needless-ambiguity'),
    says: () => 'query could not say what became of the effect although it could have been asked',
  },
  {
    applies: ({ found }) => found('needless-ambiguity'),
    says: () =>
      'what became of the effect stayed open although the declaration says that it can be known',
  },
  {
    applies: ({ found }) => found('needless-refusal'),
    says: () => 'apply said refused, and nothing shows that the service had refused it',
  },
  {
    applies: ({ found }) => found('wrong-substance'),
    says: () => 'what took effect is not what the request asked for',
  },
  {
    applies: ({ found }) => found('unknown-after-recovery'),
    says: () =>
      'recovery did not come to an end: a call threw, or did not answer within declaration.clientTimeoutMs',
  },
  {
    applies: ({ found }) => found('lost-effect'),
    says: () => 'the effect had to be there at the end, and never took place',
  },
  { applies: twice, says: () => 'the effect took place twice' },
];

function clueOf(refuted: Refuted): Clue {
  const { history, record } = refuted;
  const sent = mutatingRequests(readFacts(history.spec, history));
  const names = new Set<string>(record.findings.map(({ finding }) => finding));
  return {
    ...refuted,
    found: (finding) => names.has(finding),
    sent,
    keys: [...new Set(sent.map(({ whole }) => whole?.event.key ?? null))],
    bodies: new Set(sent.map(({ whole }) => whole?.event.bodySha256)).size,
    fault: history.spec.cell.fault.fault,
  };
}

function landsLate({ history, fault }: Clue): boolean {
  return history.spec.cell.kill === 'during_call:later' || fault === 'late-apply';
}

function windowOf({ spec }: History): string {
  const windowMs = spec.declaration.dedupe?.windowMs ?? 0;
  return windowMs === 'forever' ? 'all time' : formatSpan(windowMs);
}

function boundOf({ spec }: History): string {
  const { absence } = spec.declaration;
  return typeof absence === 'object' ? formatSpan(absence.landingBoundMs) : 'none';
}
