/**
 * Which places in an effect's life the wire can find by itself, and which it can't: from the table of
 * kill points, for a run's report and for the documentation. Pure.
 */
import {
  type NamedKillPoint,
  type WireKillPoint,
  type WireKillPointFacts,
  wireKillPoints,
} from '../model/kill-points.ts';
import type { Results } from '../model/results.ts';
import { cellOf } from '../results/read-cell.ts';

type OnlyAnnounced = Exclude<NamedKillPoint, 'after_wal_before_call' | `during_call:${string}`>;

/** Why no byte on the wire tells that a process is at one of these; only the process itself can say it. */
export const notOnWire: Readonly<Record<OnlyAnnounced, string>> = {
  before_wal: 'nothing has been sent yet, so there is no byte to wait for',
  after_call_before_commit:
    'an answer that was handed over may be recorded or not, and the wire sees neither',
  after_commit_before_ack: 'recording a result sends nothing to the service',
};

/** The places on the wire that come down to each named point, in the order of an effect's life. */
export function standInsFor(points: readonly WireKillPointFacts[] = wireKillPoints) {
  const named = [...new Set(points.map(({ standsFor }) => standsFor))];
  return named.flatMap((point) =>
    point === null
      ? []
      : [{ point, by: points.filter((at) => at.standsFor === point).map((at) => at.point) }],
  ) satisfies readonly { point: NamedKillPoint; by: readonly WireKillPoint[] }[];
}

/** One paragraph on the kills of a run that the wire placed; empty where it placed none. */
export function renderWirePoints({ trials }: Pick<Results, 'trials'>): string {
  const ran = trials.filter(({ verdict }) => verdict === 'holds' || verdict === 'violated');
  const kills = new Set(ran.map((record) => cellOf(record).kill));
  const placed = wireKillPoints.filter(({ point }) => kills.has(point));
  if (placed.length === 0) return '';
  const stands = standInsFor(placed).map(
    ({ point, by }) => `${listed(by)} ${by.length === 1 ? 'stands' : 'stand'} for ${code(point)}`,
  );
  const open = placed.filter(({ standsFor }) => standsFor === null).map(({ point }) => point);
  return [
    `Some kills were placed by the wire, which needs nothing from the subject. In this run ${[
      ...stands,
      ...open.map(
        (point) => `${code(point)} stands for none, as the answer may have been recorded or not`,
      ),
    ].join('; ')}.`,
    `Three places can only be announced by the subject: ${whyNot()}.`,
  ].join(' ');
}

function whyNot(): string {
  return Object.entries(notOnWire)
    .map(([point, why]) => `${code(point)}, because ${why}`)
    .join('; ');
}

function listed(points: readonly string[]): string {
  const shown = points.map(code);
  const last = shown.at(-1) ?? '';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`;
}

function code(point: string): string {
  return `\`${point}\``;
}
