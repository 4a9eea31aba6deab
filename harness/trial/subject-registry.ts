/**
 * The subjects alive in a run, so that an interruption can end them all at once. Whoever makes the run
 * makes the registry; nothing is kept in the module.
 */
import { signalGroup, signalProcess } from '../kills/kill-subject.ts';
import { findLive, type SubjectMarks } from '../kills/process-table.ts';

export class SubjectRegistry {
  readonly #live = new Map<number, SubjectMarks>();

  get size(): number {
    return this.#live.size;
  }

  add(marks: SubjectMarks): void {
    this.#live.set(marks.pid, marks);
  }

  remove(pid: number): void {
    this.#live.delete(pid);
  }

  /** SIGKILLs every subject, its group and its strays. Synchronous, for use while the process is ending. */
  killAll(): void {
    for (const marks of this.#live.values()) {
      signalGroup(marks.pid);
      for (const { pid, foundBy } of findLive(marks)) {
        if (foundBy === 'token') signalProcess(pid);
      }
    }
  }
}
