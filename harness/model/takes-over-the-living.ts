/**
 * What must be found against a gate that is sound in everything but that an owner who pauses counts
 * as dead. The second process learns what a sound gate would learn after a death, and says so. The first
 * goes on where it stopped, sends what it had not sent, finds at its next record that it owns nothing,
 * and ends without an answer to its caller.
 */
import type { TargetDeclaration } from '../../adapters/target.ts';
import type { Scenario } from './cell.ts';
import { classify, expectScenario } from './expectation.ts';
import { cannotMeet, found, type LackingExpectation } from './lacking-expectation.ts';

/** What a paused cell shows of such a gate; of no other cell it can be told beforehand. */
export function takesOverTheLiving(
  declaration: TargetDeclaration,
  scenario: Scenario,
): LackingExpectation {
  if (scenario.paused !== true) {
    return cannotMeet('whether a lease has run out by the time it is asked for is not determined');
  }
  const sound = expectScenario(declaration, scenario);
  if (sound.kind === 'cannot-meet') return sound;
  switch (scenario.kill) {
    case 'before_wal':
      // The second performs it for its caller; the first fails to record, and so sends nothing.
      return found('unknown-after-recovery', 'sent-uninvited');
    case 'after_wal_before_call':
      return takesOverUnsent(declaration);
    case 'after_call_before_commit':
      return takesOverSent(declaration);
    case 'after_commit_before_ack':
      // What is settled is owned by nobody.
      return found();
    default:
      return cannotMeet('a process can be paused only where it announces that it stands still');
  }
}

/** Nothing had been sent, and the first sends as soon as it goes on. */
function takesOverUnsent(declaration: TargetDeclaration): LackingExpectation {
  const cls = classify(declaration, false);
  switch (cls) {
    case 'dedupes':
      // The second sends to learn, the first under the same key: one effect.
      return found('unknown-after-recovery', 'sent-uninvited');
    case 'bound':
      // The bound counts from a death that never was: the absence is a guess, and both send.
      return found('two-effects', 'unknown-after-recovery', 'guessed', 'sent-uninvited');
    case 'unbounded':
    case 'window-over':
    case 'neither':
      // The second can't know and asks a person, where it had only to say that somebody is on it.
      return found('unknown-after-recovery', 'needless-ambiguity');
    case 'fence':
    case 'neither-marked':
      return cannotMeet(
        'the service or the mark stops the first; what is then found is not derived',
      );
    default:
      return cls satisfies never;
  }
}

/** The one effect is there, and the first does nothing more than fail to record it. */
function takesOverSent(declaration: TargetDeclaration): LackingExpectation {
  const cls = classify(declaration, false);
  switch (cls) {
    case 'dedupes':
      return found('unknown-after-recovery', 'sent-uninvited');
    case 'fence':
    case 'bound':
    case 'unbounded':
      return found('unknown-after-recovery');
    case 'window-over':
    case 'neither':
    case 'neither-marked':
      return found('unknown-after-recovery', 'needless-ambiguity');
    default:
      return cls satisfies never;
  }
}
