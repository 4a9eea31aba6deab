/**
 * Two processes at once: one stands still at its point, another comes beside it, and then the first
 * goes on. Only one of them can own the decision, and it is the one that stands: the other has nothing
 * to stand at, since the points of a recovery lie behind taking an intent over. So there is no other
 * order of two recoverers than "B comes while A stands at p", for each p that a recovery comes to; and
 * for a first that still works on its submit, "B comes while A stands at p" for each p it announces.
 */
import type { SubjectProcess } from './subject-process.ts';
import type { Subjects } from './subjects.ts';

/** A process that stands still at its point, and the call it has not answered yet. */
export interface StandingSubject {
  readonly subject: SubjectProcess;
  /** Never rejects for anything the subject did. */
  readonly answered: Promise<unknown>;
}

export interface PausedSubject {
  /** SIGCONT and `go`; resolves once its own caller has been answered. */
  goOn(): Promise<void>;
}

/** Stops it where it stands, so that nothing of it can run: no timer, no thread, no answer to a probe. */
export async function pauseStanding({
  subject,
  answered,
}: StandingSubject): Promise<PausedSubject> {
  await subject.pause();
  return {
    async goOn() {
      subject.resume();
      subject.send({ type: 'go' });
      await answered;
    },
  };
}

/** A second recovers from beginning to end while the first stands; then the first finishes. */
export async function recoverBeside(
  { subject, answered }: StandingSubject,
  subjects: Subjects,
): Promise<SubjectProcess> {
  const rival = await subjects.start('recovery', []);
  await subjects.recover(rival);
  subject.send({ type: 'go' });
  await answered;
  return rival;
}
