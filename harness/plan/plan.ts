/**
 * From a matrix to ordered trials: pure, the same matrix and seed give the same plan. Cells that can't
 * exist, and cells left out on purpose, stand in the plan with their reason and are counted.
 */
import { createHash } from 'node:crypto';
import { callerFacts } from '../model/caller-table.ts';
import { type ArmedFault, type Cell, formatCellId, formatTrialId } from '../model/cell.ts';
import { expectKnown } from '../model/condemned.ts';
import { UsageError } from '../model/errors.ts';
import { faultTable, isWireFault, railFaultOf } from '../model/fault-table.ts';
import type { KillPoint } from '../model/kill-points.ts';
import { whatEnds } from '../model/mandate.ts';
import { type Matrix, partsOf, type WholeMatrix } from '../model/matrix.ts';
import { movesServiceClock, worldFacts } from '../model/world-table.ts';
import type { DeclaredTarget, GateEntry } from './catalogue-entry.ts';
import { cellsOf } from './slice-cells.ts';

export interface PlannedTrial {
  readonly id: string;
  readonly cell: Cell;
  readonly trial: number;
  readonly seed: number;
}

/** A cell without trials; counted once however many trials a cell would have had. */
export interface ExcludedCell {
  readonly id: string;
  readonly cell: Cell;
  readonly kind: 'cannot-meet' | 'on-purpose' | 'unavailable';
  readonly reason: string;
}

export interface Plan {
  readonly matrix: string;
  readonly title: string;
  readonly seed: number;
  readonly trials: readonly PlannedTrial[];
  readonly excluded: readonly ExcludedCell[];
}

export interface PlanInput {
  /** With what it includes, where it does. */
  readonly matrix: Matrix | WholeMatrix;
  readonly gates: readonly GateEntry[];
  readonly targets: readonly DeclaredTarget[];
  /** Overrides every slice's own number. */
  readonly trialsPerCell?: number;
  /** Overrides the matrix's seed. */
  readonly seed?: number;
}

/** Throws UsageError for a gate or target nobody knows and for a matrix whose pinned number no longer fits. */
export function expandMatrix(input: PlanInput): Plan {
  const plan = expandCells(input);
  const cannotMeet = plan.excluded.filter((cell) => cell.kind === 'cannot-meet').length;
  if (cannotMeet !== input.matrix.cannotMeet) {
    throw new UsageError(
      `matrix ${input.matrix.name}: it pins ${input.matrix.cannotMeet} cells that cannot meet their fault, the reachability function finds ${cannotMeet}; if the change is meant, set "cannotMeet": ${cannotMeet}`,
    );
  }
  return plan;
}

/**
 * The same whatever number is pinned. A cell that several of the matrices hold stands where the first has
 * it, with that one's trials per cell and exclusions.
 */
export function expandCells(input: PlanInput): Plan {
  const seed = input.seed ?? input.matrix.seed;
  const trials: PlannedTrial[] = [];
  const excluded: ExcludedCell[] = [];
  const taken = new Set<string>();
  for (const part of partsOf(input.matrix)) {
    for (const { id, cell, trialsPerCell } of cellsOfPart(part)) {
      if (taken.has(id)) continue;
      taken.add(id);
      const exclusion = exclusionOf({ ...input, matrix: part }, cell, id);
      if (exclusion !== null) {
        excluded.push(exclusion);
        continue;
      }
      const count = input.trialsPerCell ?? trialsPerCell;
      for (let trial = 1; trial <= count; trial += 1) trials.push(planTrial(cell, trial, seed));
    }
  }
  return { matrix: input.matrix.name, title: input.matrix.title, seed, trials, excluded };
}

interface DeclaredCell {
  readonly id: string;
  readonly cell: Cell;
  readonly trialsPerCell: number;
}

/** Of one file alone. Throws UsageError where two of its slices hold the same cell. */
function cellsOfPart({ name, slices }: Matrix): readonly DeclaredCell[] {
  const cells = slices.flatMap((slice) =>
    cellsOf(slice).map((cell) => ({
      id: formatCellId(cell),
      cell,
      trialsPerCell: slice.trialsPerCell,
    })),
  );
  const seen = new Set<string>();
  for (const { id } of cells) {
    if (seen.has(id)) {
      throw new UsageError(`matrix ${name}: two slices both hold ${id}; expected each cell once`);
    }
    seen.add(id);
  }
  return cells;
}

export function planTrial(cell: Cell, trial: number, seed: number): PlannedTrial {
  const id = formatTrialId(cell, trial);
  return { id, cell, trial, seed: trialSeed(seed, id) };
}

/** 32 bits of a trial's own, from the run's seed and the trial's id. */
export function trialSeed(runSeed: number, trialId: string): number {
  return createHash('sha256').update(`${runSeed}/${trialId}`).digest().readUInt32BE(0);
}

/** Why the cell can't exist for this gate and target, or null. */
export function whyUnreachable(cell: Cell, gate: GateEntry, target: DeclaredTarget): string | null {
  const { fault } = cell.fault;
  if (
    fault !== 'none' &&
    !isWireFault(fault) &&
    !target.railCan.includes(railFaultOf(fault).kind)
  ) {
    return `the rail of ${target.name} can’t do ${fault}`;
  }
  const { performs } = worldFacts(cell.world);
  if (performs !== null && !target.railWorlds.includes(performs)) {
    return `the rail of ${target.name} can’t do ${cell.world}`;
  }
  if (movesServiceClock(cell.world) && !target.railMovesClock) {
    return `the rail of ${target.name} can’t move its clock`;
  }
  if (cell.kill === 'during_call:running' && !target.railHolds) {
    return `the rail of ${target.name} can’t stand still over an effect`;
  }
  if (callerFacts(cell.caller).second === 'racing' && !target.railCaps) {
    return `the examples of ${target.name} name no amount that could be capped`;
  }
  const spoken = whyUnspoken(cell, target.railSpeaks);
  if (spoken !== null) return spoken;
  const unseen = whyUnseen(cell, gate, target);
  if (unseen !== null) return unseen;
  const expectation = expectKnown({ gate, target }, cell);
  return expectation.kind === 'cannot-meet' ? expectation.why : null;
}

/**
 * Why what happens here leaves no trace on the wire, or null. A transaction that finds the row of its key
 * there commits nothing: a repeat looks like a question, and no fault of a call can meet it.
 */
function whyUnseen(
  { kill, world, fault }: Cell,
  { lacks }: GateEntry,
  { railSpeaks, declaration }: DeclaredTarget,
): string | null {
  const findsItsRow =
    railSpeaks === 'postgres' &&
    declaration.dedupe !== null &&
    mayBeThere.includes(kill) &&
    !lacks.includes('stable-key');
  if (!findsItsRow) return null;
  const meetsCalls = fault.fault !== 'none' && faultTable[fault.fault].reached;
  if (meetsCalls && fault.phase === 'resend') {
    return 'a repeat that finds its row there commits nothing, so no fault of a call can meet it';
  }
  const repeatsUnchecked =
    lacks.includes('authority-rechecked') || lacks.includes('premises-rechecked');
  return repeatsUnchecked && whatEnds(declaration, world) !== 'nothing'
    ? 'a repeat that finds its row there commits nothing, so the wire can’t tell it from a look'
    : null;
}

const mayBeThere: readonly KillPoint[] = [
  'during_call:now',
  'during_call:later',
  'during_call:running',
  'after_call_before_commit',
];

/** What the wire can't do in this protocol, or null. */
function whyUnspoken({ kill, fault }: Cell, protocol: DeclaredTarget['railSpeaks']): string | null {
  if (protocol === 'http' || protocol === 'https') return null;
  if (fault.fault === 'foreign-reply' || fault.fault === 'foreign-reply-sticky') {
    return 'a reply on a connection of its own names no effect it could be mistaken for';
  }
  if (protocol === 'postgres') {
    return kill === 'wire:first-byte' || kill === 'wire:half-request'
      ? 'the first bytes of a transaction commit nothing, so that the wire can’t tell them from a call'
      : null;
  }
  if (protocol === 'smtp' || protocol === 'smtps') return whyUnspokenInMail(kill, fault);
  return kill.startsWith('wire:') && kill !== 'wire:connection'
    ? `the wire finds no requests in ${protocol}`
    : null;
}

function whyUnspokenInMail(kill: KillPoint, { fault }: ArmedFault): string | null {
  if (fault === 'error-before-apply' || fault === 'error-after-apply') {
    return 'a mail server’s reply is its own definite word, and nothing in front of it speaks in its place';
  }
  return kill === 'wire:first-byte'
    ? 'a conversation begins with who is there, so that the wire can’t tell its first byte from a call'
    : null;
}

function exclusionOf(
  input: PlanInput & { readonly matrix: Matrix },
  cell: Cell,
  id: string,
): ExcludedCell | null {
  const onPurpose = input.matrix.exclusions.find((exclusion) => id.startsWith(exclusion.match));
  if (onPurpose !== undefined) {
    return { id, cell, kind: 'on-purpose', reason: `${onPurpose.reason} (${onPurpose.link})` };
  }
  const gate = named(input.gates, cell.gate, 'gate');
  const target = usable(input.targets, cell.target);
  const why = whyUnreachable(cell, gate, target);
  if (why === null && target.railUnavailable !== null) {
    return { id, cell, kind: 'unavailable', reason: target.railUnavailable };
  }
  return why === null ? null : { id, cell, kind: 'cannot-meet', reason: `cannot-meet: ${why}` };
}

/** Throws UsageError for a target nobody knows, and for one that must not be run with what was given. */
export function usable(targets: readonly DeclaredTarget[], name: string): DeclaredTarget {
  const target = named(targets, name, 'target');
  if (target.railRefused !== undefined) throw new UsageError(`${name}: ${target.railRefused}`);
  return target;
}

export function named<T extends { readonly name: string }>(
  entries: readonly T[],
  name: string,
  what: string,
): T {
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry === undefined) {
    throw new UsageError(
      `unknown ${what} "${name}"; known: ${entries.map((candidate) => candidate.name).join(', ')}`,
    );
  }
  return entry;
}
