/**
 * A trial played with a gate that carries jobs out until they are done. The order is that of a real
 * one: a first life up to its kill point, the outage, a recovery, the caller, and a fresh process that
 * recovers once more and is asked.
 */
import type { TargetDeclaration } from '../../adapters/target.ts';
import { callerFacts } from './caller-table.ts';
import type { Scenario } from './cell.ts';
import type { Claim } from './expectation.ts';
import { whatEnds } from './mandate.ts';
import type { PlayedObservation, PlayedTrial } from './played-findings.ts';
import { leaveOff } from './played-first.ts';
import { type PlayedEffect, PlayedService } from './played-service.ts';

/** What such gates differ in, by the rules they keep. */
export interface JobManners {
  readonly stableKey: boolean;
  readonly asksFirst: boolean;
  readonly rechecksAuthority: boolean;
  readonly rechecksPremises: boolean;
  readonly bindsPayload: boolean;
  readonly keepsDistinct: boolean;
  readonly coversReasons: boolean;
  readonly surfacesUnknown: boolean;
  /** Whether what the service refuses is over and done with; otherwise it is tried again. */
  readonly takesRefusals: boolean;
}

export type Played =
  | { readonly kind: 'open'; readonly why: string }
  | { readonly kind: 'played'; readonly trial: PlayedTrial };

export function playJobs(
  declaration: TargetDeclaration,
  scenario: Scenario,
  manners: JobManners,
): Played {
  return new JobPlay(declaration, scenario, manners).run();
}

/** Enough for anything that happens once. */
const tries = 3;

type JobName = 'first' | 'second' | 'invented';

interface Job {
  readonly name: JobName;
  state: 'pending' | 'parked' | 'done' | 'refused';
  /** What it was told it made; null while it was told nothing. */
  made: PlayedEffect | 'foreign' | null;
}

class JobPlay {
  readonly #declaration: TargetDeclaration;
  readonly #scenario: Scenario;
  readonly #manners: JobManners;
  readonly #service: PlayedService;
  readonly #ends: PlayedTrial['ends'];
  readonly #jobs: Job[] = [];
  #changed = false;
  #sends = 0;
  #sentAfterChange = false;
  #proven = false;
  #toldOfAnother = false;
  #open: string | null = null;

  constructor(declaration: TargetDeclaration, scenario: Scenario, manners: JobManners) {
    this.#declaration = declaration;
    this.#scenario = scenario;
    this.#manners = manners;
    this.#ends = whatEnds(declaration, scenario.world);
    this.#service = new PlayedService({
      dedupes: declaration.dedupe !== null,
      onceByState: declaration.onceByState,
      fault: scenario.fault,
    });
  }

  run(): Played {
    const first = this.#write('first');
    this.#firstLife(first);
    this.#outage();
    this.#service.enter('resend');
    this.#recover();
    if (this.#service.missed('resend'))
      this.#open ??= 'recovery sends nothing the fault could meet';
    const o1 = this.#observe(first, this.#service.effects.length);
    this.#service.enter('caller');
    this.#callAgain(first);
    if (this.#service.missed('caller')) {
      this.#open ??= 'recovery has done the work, so the caller’s request is not sent';
    }
    this.#recover();
    if (this.#open !== null) return { kind: 'open', why: this.#open };
    const second = this.#observeSecond(first);
    const effects = this.#service.effects.length - (second?.effects ?? 0);
    return {
      kind: 'played',
      trial: {
        o1,
        o2: this.#observe(first, effects),
        second,
        toldOfAnother: this.#toldOfAnother,
        ends: this.#ends,
        sentAfterChange: this.#sentAfterChange,
      },
    };
  }

  #firstLife(first: Job): void {
    const left = leaveOff(this.#scenario.kill, this.#service, {
      key: this.#nextKey(first),
      send: () => {
        // The point after the call is armed for the first attempt, which must then have come to a call.
        if (this.#tryOnce(first) === 'not-sent')
          this.#open = 'its look meets the fault, and no call is made';
        first.state = 'pending';
        first.made = null;
        this.#proven = false;
      },
      sendUntilAnswered: () => {
        this.#carryOut(first);
        return first.state === 'done' ? 'done' : 'again';
      },
    });
    if (left === 'open') {
      this.#open ??= 'whether it comes to the point, or had recorded the answer at it, is open';
    }
  }

  #outage(): void {
    const { world } = this.#scenario;
    this.#changed = world !== 'none';
    const window = this.#declaration.dedupe?.windowMs ?? 'forever';
    const { onceByState, guardsPremises } = this.#declaration;
    const isShut =
      (onceByState && world === 'done-by-hand') || (guardsPremises && world === 'premise-changed');
    if (isShut) this.#service.refuse();
    if (world === 'long-outage' && window !== 'forever') this.#service.forgetKeys();
  }

  #recover(): void {
    for (const job of this.#jobs) this.#carryOut(job);
    this.#service.landLate();
  }

  #callAgain(first: Job): void {
    const { caller } = this.#scenario;
    const { again, second, together } = callerFacts(caller);
    if (together && first.state === 'pending') {
      this.#open ??= 'which of two processes carries out what is left is open';
    }
    if (again) this.#carryOut(first);
    if (second !== 'none') this.#submitDistinct(first, 'second');
    switch (caller) {
      case 'changed-amount':
        if (!this.#manners.bindsPayload) this.#tellOfAnother(first);
        break;
      case 'invented-reason':
        this.#tellOfAnother(this.#submitDistinct(first, 'invented'));
        break;
      default:
        break;
    }
  }

  #tellOfAnother(job: Job | null): void {
    if (job === null) return;
    this.#carryOut(job);
    if (job.state === 'done') this.#toldOfAnother = true;
  }

  /** The job it becomes: one of its own, the first one, or none where the lease is dead by then. */
  #submitDistinct(first: Job, name: 'second' | 'invented'): Job | null {
    const { keepsDistinct, rechecksAuthority } = this.#manners;
    if (!keepsDistinct) return first;
    // Who asks for the lease only once does so when he writes the work down.
    if (!rechecksAuthority && this.#changed && this.#ends === 'authority') return null;
    const job = this.#write(name);
    this.#carryOut(job);
    return job;
  }

  #write(name: JobName): Job {
    const job: Job = { name, state: 'pending', made: null };
    this.#jobs.push(job);
    return job;
  }

  #carryOut(job: Job): void {
    for (let left = tries; left > 0 && job.state === 'pending'; left -= 1) this.#tryOnce(job);
    if (job.state === 'pending' && this.#manners.surfacesUnknown) job.state = 'parked';
  }

  #tryOnce(job: Job): 'sent' | 'not-sent' {
    if (this.#manners.asksFirst) {
      const seen = this.#service.look(job.name);
      if (seen.kind === 'failed') return 'not-sent';
      if (seen.kind === 'found') {
        this.#settle(job, 'done', seen.effect);
        return 'not-sent';
      }
    }
    if (this.#isForbidden(job)) {
      this.#settle(job, 'refused', null);
      return 'not-sent';
    }
    this.#send(job);
    return 'sent';
  }

  #isForbidden({ name }: Job): boolean {
    const { rechecksAuthority, rechecksPremises, coversReasons } = this.#manners;
    if (name === 'invented' && coversReasons) return true;
    if (!this.#changed) return false;
    switch (this.#ends) {
      case 'nothing':
        return false;
      case 'authority':
        return rechecksAuthority;
      case 'premises':
        return rechecksPremises && name !== 'second';
      default:
        return this.#ends satisfies never;
    }
  }

  #send(job: Job): void {
    if (this.#changed) this.#sentAfterChange = true;
    const answer = this.#service.send(this.#nextKey(job));
    switch (answer.kind) {
      case 'landed':
        this.#proven = true;
        this.#settle(job, 'done', answer.effect);
        break;
      case 'foreign':
        this.#settle(job, 'done', 'foreign');
        break;
      case 'refused':
        if (this.#manners.takesRefusals) this.#settle(job, 'refused', null);
        break;
      case 'none':
        break;
      default:
        answer satisfies never;
    }
  }

  #settle(job: Job, state: 'done' | 'refused', made: Job['made']): void {
    job.state = state;
    job.made = made;
  }

  #nextKey({ name }: Job): string {
    this.#sends += 1;
    return this.#manners.stableKey ? name : `${name}-${this.#sends}`;
  }

  #observe(job: Job, effects: number): PlayedObservation {
    return {
      claim: claimOf(job),
      effects,
      namesForeign: job.made === 'foreign',
      proven: this.#proven,
    };
  }

  /** The effect of a second decision is the one it names, if that is not the first one's. */
  #observeSecond(first: Job): PlayedObservation | null {
    if (callerFacts(this.#scenario.caller).second === 'none') return null;
    if (!this.#manners.keepsDistinct) return this.#observe(first, 0);
    const second = this.#jobs.find(({ name }) => name === 'second');
    if (second === undefined) {
      return { claim: 'A', effects: 0, namesForeign: false, proven: this.#proven };
    }
    return this.#observe(second, second.state === 'done' ? 1 : 0);
  }
}

function claimOf({ state }: Job): Claim {
  switch (state) {
    case 'pending':
      return 'W';
    case 'parked':
      return 'U';
    case 'done':
      return 'H';
    case 'refused':
      return 'R';
    default:
      return state satisfies never;
  }
}
