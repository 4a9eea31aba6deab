/**
 * What must be found against a gate that is known to lack rules, derived from the rules and never
 * from a run. It plays the scenario through with what such a gate does instead: rerun pending work
 * blindly, under a fresh or a constant key, whatever the amount; take an owner that only pauses for a
 * dead one; or never do anything.
 */
import type { TargetDeclaration } from '../../adapters/target.ts';
import type { ArmedFault, CallerBehaviour, FaultName, Scenario } from './cell.ts';
import { classify, expectScenario } from './expectation.ts';
import { type FaultKind, faultTable } from './fault-table.ts';
import type { FindingName } from './findings.ts';
import { cannotMeet, type LackingExpectation } from './lacking-expectation.ts';
import type { RuleName } from './rules.ts';
import { takesOverTheLiving } from './takes-over-the-living.ts';

export type { LackingExpectation };

/** Reachability and expected findings for a gate that lacks these rules; none lacking means none expected. */
export function expectLacking(
  declaration: TargetDeclaration,
  scenario: Scenario,
  lacks: readonly RuleName[],
): LackingExpectation {
  if (lacks.length === 0) {
    const expectation = expectScenario(declaration, scenario);
    return expectation.kind === 'cannot-meet' ? expectation : { kind: 'reachable', findings: [] };
  }
  if (lacks.includes('owner-proven-dead')) return takesOverTheLiving(declaration, scenario, lacks);
  if (scenario.world !== 'none') {
    return cannotMeet('what such a gate does in a changing world is not derived');
  }
  if (!derivedCallers.includes(scenario.caller)) {
    return cannotMeet(`what such a gate says to ${scenario.caller} is not derived`);
  }
  if (
    scenario.recoveryKills.length > 0 ||
    scenario.paused === true ||
    scenario.rivalAt !== undefined
  ) {
    return cannotMeet('a gate without points of its own in recovery can’t be killed at them');
  }
  if (lacks.includes('effects-performed')) return neverActs(scenario);
  if (lacks.includes('no-blind-resend')) return resendsBlindly(declaration, scenario, lacks);
  if (lacks.length === 1 && lacks[0] === 'stable-key') return sendsFreshKeys(declaration, scenario);
  return cannotMeet(`no derivation for a gate that lacks only ${lacks.join(', ')}`);
}

const derivedCallers: readonly CallerBehaviour[] = ['same-again', 'changed-amount', 'storm'];

/** The findings alone, for judging a trial that was planned. */
export function expectedFindings(
  declaration: TargetDeclaration,
  scenario: Scenario,
  lacks: readonly RuleName[],
): readonly FindingName[] {
  const expectation = expectLacking(declaration, scenario, lacks);
  return expectation.kind === 'reachable' ? expectation.findings : [];
}

/** Records, refuses, and calls nobody: refused where nothing stood against it, and nothing ever happens. */
function neverActs(scenario: Scenario): LackingExpectation {
  if (scenario.kill !== 'before_wal' && scenario.kill !== 'after_commit_before_ack') {
    return cannotMeet('the gate never calls, so it has no attempt to be killed in');
  }
  if (scenario.fault.fault !== 'none')
    return cannotMeet('the gate never calls, so no fault can meet it');
  // Killed before it refused and then asked for another amount, nobody was owed an effect.
  const owedNothing = scenario.kill === 'before_wal' && scenario.caller === 'changed-amount';
  return {
    kind: 'reachable',
    findings: owedNothing ? ['needless-refusal'] : ['lost-effect', 'needless-refusal'],
  };
}

/** Reruns whatever is not marked done, in recovery and after every indefinite answer, until it is answered. */
function resendsBlindly(
  declaration: TargetDeclaration,
  scenario: Scenario,
  lacks: readonly RuleName[],
): LackingExpectation {
  if (scenario.caller === 'storm') {
    return cannotMeet(
      'how many of five racing callers send is not determined for a gate without ownership',
    );
  }
  if (scenario.fault.fault !== 'none' && !derivedFaults.includes(scenario.fault.fault)) {
    return cannotMeet(`what such a gate makes of ${scenario.fault.fault} is not derived`);
  }
  const service = new PlayedService(declaration.dedupe !== null && !lacks.includes('stable-key'));
  const done = playFirstIncarnation(service, scenario);
  if (done === 'cannot-meet')
    return cannotMeet(
      'the process dies before its first call has ended, or whether it recorded the answer is open',
    );
  const resendFault = faultIn('resend', scenario.fault);
  if (done === 'pending') service.sendUntilAnswered(resendFault);
  else if (resendFault !== 'none')
    return cannotMeet('the work is marked done, so recovery sends nothing');
  if (faultIn('caller', scenario.fault) !== 'none') {
    return cannotMeet('recovery has done the work, so the caller’s request is not sent');
  }
  service.landLate();

  const findings: FindingName[] = [];
  if (service.effects > 1) findings.push('two-effects');
  if (scenario.caller === 'changed-amount' && lacks.includes('payload-bound'))
    findings.push('wrong-substance');
  return { kind: 'reachable', findings };
}

/**
 * Keeps every rule but one: each attempt carries a key of its own. It resends only where a repeat
 * would be harmless under one key, and there each resend is one effect more.
 */
function sendsFreshKeys(declaration: TargetDeclaration, scenario: Scenario): LackingExpectation {
  const sound = expectScenario(declaration, scenario);
  if (sound.kind === 'cannot-meet') return sound;
  if (classify(declaration, false) !== 'dedupes') return { kind: 'reachable', findings: [] };
  if (scenario.fault.fault !== 'none' && !derivedFaults.includes(scenario.fault.fault)) {
    return cannotMeet(`what such a gate makes of ${scenario.fault.fault} is not derived`);
  }
  const service = new PlayedService(false);
  const done = playFirstIncarnation(service, scenario);
  if (done === 'cannot-meet') return cannotMeet('whether it recorded the answer is open');
  const isUntried = scenario.kill === 'before_wal';
  if (done === 'pending' && !isUntried)
    service.sendUntilAnswered(faultIn('resend', scenario.fault));
  if (isUntried && scenario.caller !== 'changed-amount') {
    service.sendUntilAnswered(faultIn('caller', scenario.fault));
  }
  service.landLate();
  return { kind: 'reachable', findings: service.effects > 1 ? ['two-effects'] : [] };
}

/** Faults that happen once and leave such a gate with no answer, which it takes for a reason to try again. */
const derivedFaults: readonly FaultKind[] = [
  'request-lost',
  'reply-lost',
  'error-before-apply',
  'error-after-apply',
  'late-apply',
  'partition',
  'slow',
  'truncated-reply',
];

function playFirstIncarnation(
  service: PlayedService,
  scenario: Scenario,
): 'pending' | 'done' | 'cannot-meet' {
  const fault = faultIn('first-send', scenario.fault);
  const ended =
    scenario.kill === 'after_call_before_commit' || scenario.kill === 'after_commit_before_ack';
  if (fault !== 'none' && !ended) return 'cannot-meet';
  switch (scenario.kill) {
    case 'before_wal':
    case 'after_wal_before_call':
    case 'during_call:never':
      return 'pending';
    case 'during_call:now':
      service.land();
      return 'pending';
    case 'during_call:later':
    case 'during_call:running':
      service.landLater();
      return 'pending';
    case 'wire:connection':
    case 'wire:first-byte':
    case 'wire:half-request':
    case 'wire:whole-request':
      return 'pending';
    case 'wire:applied':
    case 'wire:first-reply-byte':
    case 'wire:half-reply':
      service.land();
      return 'pending';
    case 'wire:whole-reply':
      return 'cannot-meet';
    case 'after_call_before_commit':
      service.send(fault);
      return 'pending';
    case 'after_commit_before_ack':
      service.sendUntilAnswered(fault);
      return 'done';
    default:
      return scenario.kill satisfies never;
  }
}

/** The service as far as it matters here: how many effects it holds, and whether a repeat adds one. */
class PlayedService {
  effects = 0;
  private late = 0;
  private readonly repeatsAddNothing: boolean;

  constructor(repeatsAddNothing: boolean) {
    this.repeatsAddNothing = repeatsAddNothing;
  }

  land(): void {
    this.effects = this.repeatsAddNothing ? 1 : this.effects + 1;
  }

  landLater(): void {
    this.late += 1;
  }

  landLate(): void {
    for (; this.late > 0; this.late -= 1) this.land();
  }

  send(fault: FaultName): 'answered' | 'indefinite' {
    const landing = fault === 'none' ? 'now' : faultTable[fault].landing;
    switch (landing) {
      case 'now':
        this.land();
        break;
      case 'later':
        this.landLater();
        break;
      case 'never':
        break;
      default:
        return landing satisfies never;
    }
    return fault === 'none' ? 'answered' : 'indefinite';
  }

  /** A fault happens once, so the second try is answered. */
  sendUntilAnswered(fault: FaultName): void {
    if (this.send(fault) === 'indefinite') this.send('none');
  }
}

function faultIn(phase: 'first-send' | 'resend' | 'caller', fault: ArmedFault): FaultName {
  return fault.fault !== 'none' && fault.phase === phase ? fault.fault : 'none';
}
