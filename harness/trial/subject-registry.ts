/**
 * The subjects alive in a run, so that an interruption can end them all at once. Whoever makes the run
 * makes the registry; nothing is kept in the module.
 */
import { signalAll } from '../kills/kill-subject.ts';
import type { SubjectMarks } from '../kills/process-table.ts';

export class SubjectRegistry {
  readonly #live = new Map<number, SubjectMarks>();
  #closed = false;

  get size(): number {
    return this.#live.size;
  }

  /** True once everything has been killed: nothing may be started any more. */
  get closed(): boolean {
    return this.#closed;
  }

  /** What comes after everything has been killed is killed at once. */
  add(marks: SubjectMarks): void {
    if (this.#closed) signalAll(marks);
    this.#live.set(marks.pid, marks);
  }

  remove(pid: number): void {
    this.#live.delete(pid);
  }

  /** SIGKILLs every subject, its group and its strays. Synchronous, for use while the process is ending. */
  killAll(): void {
    this.#closed = true;
    for (const marks of this.#live.values()) signalAll(marks);
  }
}
