/**
 * What must be found against a gate that keeps every rule but one: each attempt carries a key of its
 * own. It resends only where a repeat would be harmless under one key, and there each resend is one
 * effect more.
 */
import type { TargetDeclaration } from '../../adapters/target.ts';
import type { CallerBehaviour, Scenario } from './cell.ts';
import { classify, expectScenario } from './expectation.ts';
import { cannotMeet, found, type LackingExpectation } from './lacking-expectation.ts';
import { derivedFaults, leaveOff } from './played-first.ts';
import { PlayedService } from './played-service.ts';

export function sendsFreshKeys(
  declaration: TargetDeclaration,
  scenario: Scenario,
): LackingExpectation {
  if (scenario.world !== 'none') {
    return cannotMeet('what such a gate does in a changing world is not derived');
  }
  if (!derivedCallers.includes(scenario.caller)) {
    return cannotMeet(`what such a gate says to ${scenario.caller} is not derived`);
  }
  const sound = expectScenario(declaration, scenario);
  if (sound.kind === 'cannot-meet') return sound;
  if (classify(declaration, false) !== 'dedupes') return found();
  if (scenario.fault.fault !== 'none' && !derivedFaults.includes(scenario.fault.fault)) {
    return cannotMeet(`what such a gate makes of ${scenario.fault.fault} is not derived`);
  }
  const service = new PlayedService({ dedupes: false, onceByState: false, fault: scenario.fault });
  let sends = 0;
  const send = () => {
    sends += 1;
    return service.send(`key-${sends}`).kind === 'none' ? 'again' : 'done';
  };
  const sendUntilAnswered = () => (send() === 'again' ? send() : 'done');
  const left = leaveOff(scenario.kill, service, { key: 'key-0', send, sendUntilAnswered });
  if (left === 'open') return cannotMeet('whether it recorded the answer is open');
  if (left === 'pending') {
    service.enter('resend');
    sendUntilAnswered();
  }
  if (left === 'untried' && scenario.caller !== 'changed-amount') {
    service.enter('caller');
    sendUntilAnswered();
  }
  service.landLate();
  return service.effects.length > 1 ? found('two-effects') : found();
}

const derivedCallers: readonly CallerBehaviour[] = ['same-again', 'changed-amount', 'storm'];
