/**
 * The reference gate: performs effects once, and can say after any crash what became of them.
 *
 * In: a target, a folder for the ledger, an authority, a clock. Out: a Gate. Several gates, in one
 * process or in many on one machine, may share a folder. It retries nothing by itself that could
 * have a second effect, and answers `unknown` rather than guess.
 */
import type { EffectTarget, JsonObject } from '../../adapters/target.ts';
import type { AtPoint, Authority, Gate, Outcome, Proposal, Resolution } from '../gate.ts';
import { answerFor, answerOf } from './answer.ts';
import type { ChainHead } from './chain.ts';
import { announce, type Engine, monotonicMs, type Timing, wordsOf } from './engine.ts';
import { identifyRequest } from './identity.ts';
import { type IntentId, Ledger } from './ledger.ts';
import { lookNotBeforeMs } from './look-time.ts';
import { otherPayload } from './outcome.ts';
import { OverdueSends } from './overdue.ts';
import { IncarnationLock, type Ownership } from './ownership.ts';
import { learn, needsLearning, takeIntent } from './recovery.ts';
import { resolveIntent } from './resolve.ts';
import { carryOut } from './submit.ts';
import { Turns } from './turns.ts';
import { assertTailVerifies } from './verify.ts';

export interface GateOptions {
  readonly target: EffectTarget;
  /** A folder of the gate's own, on a local disk. */
  readonly ledger: string;
  readonly authority: Authority;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly at?: AtPoint;
  readonly timing?: Partial<Timing>;
  /** Another way to own than the kernel's lock, taken over the ledger's folder; closing releases it. */
  readonly own?: (ledger: string) => Ownership;
  /**
   * Told the chain's head behind each settled outcome, rising, for somebody outside to sign and keep.
   * Nobody waits for it, and what it throws is noted as a process warning: it never changes an
   * outcome. A crash may skip a head; each later one vouches for it.
   */
  readonly onHead?: (head: ChainHead) => void | Promise<void>;
}

/** Intents a recovery works on at the same time: their waits overlap. */
const recoveryWidth = 16;

/** Throws when the ledger can't be opened durably or its chain is broken since the last checkpoint. */
export function createGate(options: GateOptions): Gate {
  return new ReferenceGate(options);
}

class ReferenceGate implements Gate {
  readonly #engine: Engine;
  readonly #turns = new Turns();
  #recovering: Promise<void> | null = null;
  readonly #onHead: GateOptions['onHead'];
  #toldSeq = 0;
  #isClosed = false;

  constructor(options: GateOptions) {
    this.#onHead = options.onHead;
    const ledger = new Ledger(options.ledger, options.now);
    try {
      assertTailVerifies(ledger);
      this.#engine = {
        target: options.target,
        ledger,
        lock: options.own?.(options.ledger) ?? lockIncarnation(options.ledger, ledger),
        authority: options.authority,
        now: options.now,
        at: options.at ?? null,
        timing: { ...defaultTiming(options.target), ...options.timing },
        overdue: new OverdueSends(),
      };
    } catch (thrown) {
      ledger.close();
      throw thrown;
    }
  }

  async submit(proposal: Proposal): Promise<Outcome> {
    this.#assertOpen();
    const engine = this.#engine;
    const wanted = identifyRequest(engine.target, proposal.request);
    const live = engine.ledger.live(wanted.decisionKey);
    // Said at once, also while the recorded payload is being worked on.
    if (live !== null && live.payloadHash !== wanted.payloadHash) {
      return otherPayload(live, wanted.payloadHash);
    }
    // A recovery that failed has told whoever asked for it; this submit looks for itself.
    await this.#recovering?.catch(() => undefined);
    const outcome = await this.#turns.take(wanted.decisionKey, () =>
      carryOut(engine, wanted, proposal),
    );
    return this.#tell(outcome);
  }

  async recover(): Promise<void> {
    this.#assertOpen();
    this.#recovering ??= this.#recoverAll().finally(() => {
      this.#recovering = null;
    });
    await this.#recovering;
  }

  async ask(request: JsonObject): Promise<Outcome> {
    this.#assertOpen();
    const { decisionKey } = identifyRequest(this.#engine.target, request);
    return answerFor(this.#engine, decisionKey);
  }

  async resolve(request: JsonObject, resolution: Resolution): Promise<Outcome> {
    this.#assertOpen();
    const { decisionKey } = identifyRequest(this.#engine.target, request);
    const outcome = await this.#turns.take(decisionKey, async () =>
      answerOf(this.#engine, resolveIntent(this.#engine, decisionKey, resolution)),
    );
    return this.#tell(outcome);
  }

  /**
   * Waits for what is under way, but not for a target that has let its time pass. The target belongs
   * to whoever made it and stays open.
   */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#recovering?.catch(() => undefined);
    await this.#turns.idle();
    this.#engine.ledger.close();
    const sends = this.#engine.overdue.allEnded();
    if (sends === null) this.#engine.lock.release();
    // Whoever finds the lock free may take it that nothing of this gate's is sent any more.
    else void sends.then(() => this.#engine.lock.release());
  }

  async #recoverAll(): Promise<void> {
    const waiting = [...this.#engine.ledger.open()];
    const failures: unknown[] = [];
    const worker = async (): Promise<void> => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        try {
          await this.#recoverOne(id);
        } catch (thrown) {
          failures.push(thrown);
        }
      }
    };
    await Promise.all(Array.from({ length: recoveryWidth }, worker));
    if (failures.length > 0) {
      throw new AggregateError(failures, `${failures.length} intents could not be recovered`);
    }
  }

  async #recoverOne(id: IntentId): Promise<void> {
    const engine = this.#engine;
    await this.#turns.take(id.decisionKey, async () => {
      const before = engine.ledger.intent(id);
      if (before === null || !needsLearning(before)) return;
      const taken = takeIntent(engine, before);
      // Somebody alive is at work on it, or just was.
      if (taken.kind !== 'taken') return;
      announce(engine, 'recovery:owned', taken.row);
      const learnt = await learn(engine, taken.row, {
        mandate: null,
        quietSinceMs: monotonicMs(),
      });
      if (this.#onHead !== undefined) this.#tell(answerOf(engine, learnt));
    });
  }

  /** A settled outcome's receipt names the entry it rests on: that is a head of the chain up to there. */
  #tell(outcome: Outcome): Outcome {
    const { disposition, receipt } = outcome;
    if (this.#onHead === undefined || disposition !== 'settled' || receipt === null) return outcome;
    const { chainSeq: seq, chainHash: hash } = receipt;
    if (seq <= this.#toldSeq) return outcome;
    this.#toldSeq = seq;
    Promise.resolve({ seq, hash })
      .then(this.#onHead)
      .catch((thrown: unknown) => {
        process.emitWarning(`head ${seq} was not taken: ${wordsOf(thrown)}`, 'GateHeadWarning');
      });
    return outcome;
  }

  #assertOpen(): void {
    if (this.#isClosed)
      throw new Error('the gate is closed; create another one on the same ledger');
  }
}

function lockIncarnation(folder: string, ledger: Ledger): IncarnationLock {
  const lock = new IncarnationLock(folder);
  try {
    lock.removeStale((owner) => ledger.namesOwner(owner));
    return lock;
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

function defaultTiming(target: EffectTarget): Timing {
  const { declaration } = target;
  return {
    pollMs: 10,
    // A call and a look: what the one at work needs when nothing goes wrong twice.
    joinWaitMs: 2 * declaration.clientTimeoutMs + lookNotBeforeMs(declaration),
    authorityTimeoutMs: 5_000,
  };
}
