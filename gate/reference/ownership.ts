/**
 * Who is alive. Each incarnation holds a SQLite side file in an exclusive transaction for life; the
 * kernel drops that lock when the process dies and keeps it while the process is only paused.
 *
 * The file is opened once by its owner and must never be read, copied or probed by it: closing any
 * other descriptor of it would drop the lock without a word. Network disks carry no such lock.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/**
 * How a gate knows who is alive. It is the seam for another mechanism than the kernel's lock, where
 * none can be had; one that calls an owner dead who only pauses lets two of them send.
 */
export interface Ownership {
  /** This incarnation's own; it is held from before the ledger may name it until `release`. */
  readonly id: string;
  /** Whether the incarnation `owner` may still act. */
  isAlive(owner: string): boolean;
  release(): void;
}

const lockSuffix = '.lock';
/** Each try loses only to another process that starts in the very same instant. */
const lockTries = 100;

export class IncarnationLock implements Ownership {
  readonly id: string;
  readonly #folder: string;
  readonly #db: Database.Database;

  /** Returns holding the lock; only then may the id enter the ledger. */
  constructor(ledgerFolder: string) {
    this.#folder = ownersFolder(ledgerFolder);
    mkdirSync(this.#folder, { recursive: true });
    for (let tries = 0; tries < lockTries; tries += 1) {
      const id = randomUUID();
      const db = lockNewFile(lockFile(this.#folder, id));
      if (db === null) continue;
      this.id = id;
      this.#db = db;
      return;
    }
    throw new Error(
      `no lock file could be kept in ${this.#folder} in ${lockTries} tries; is something else removing files there?`,
    );
  }

  /** Whether the incarnation `owner` still lives. One's own is never probed. */
  isAlive(owner: string): boolean {
    if (owner === this.id) return true;
    const file = lockFile(this.#folder, owner);
    const db = openExisting(file);
    if (db === null) return false;
    try {
      // A shared lock is enough to meet an exclusive one, and two askers don't meet each other.
      db.prepare('SELECT count(*) FROM sqlite_schema').get();
      return false;
    } catch (thrown) {
      if (isBusy(thrown)) return true;
      // Its owner has just ended in good order.
      if (isGone(file)) return false;
      throw thrown;
    } finally {
      db.close();
    }
  }

  /**
   * Removes files of dead owners that `isNamed` does not know; a locked file is never touched. A
   * named one is left alone because a prober must never meet the lock taken here.
   */
  removeStale(isNamed: (owner: string) => boolean): void {
    for (const name of readdirSync(this.#folder)) {
      if (!name.endsWith(lockSuffix)) continue;
      const owner = name.slice(0, -lockSuffix.length);
      if (owner === this.id || isNamed(owner)) continue;
      const file = join(this.#folder, name);
      const db = openExisting(file);
      if (db === null) continue;
      try {
        // Unlinked while locked: whoever is about to lock it waits, and then finds it gone.
        db.exec('BEGIN EXCLUSIVE');
        unlinkSync(file);
      } catch (thrown) {
        if (!isBusy(thrown) && !isGone(file)) throw thrown;
      } finally {
        db.close();
      }
    }
  }

  /** Gives the lock back. The name goes first, so that nobody finds it free and unowned. */
  release(): void {
    const file = lockFile(this.#folder, this.id);
    if (!isGone(file)) unlinkSync(file);
    this.#db.close();
  }
}

/**
 * Null when a cleaner took the file for a dead owner's between its creation and its lock; SQLite calls
 * a file that has lost its name a disk I/O error.
 */
function lockNewFile(file: string): Database.Database | null {
  const db = new Database(file, { timeout: 1_000 });
  try {
    // Nothing is ever written, so no journal is wanted; the lock on the file is the kernel's.
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN EXCLUSIVE');
    if (!isGone(file)) return db;
  } catch (thrown) {
    if (!isGone(file)) {
      db.close();
      throw thrown;
    }
  }
  db.close();
  return null;
}

function ownersFolder(ledgerFolder: string): string {
  return join(ledgerFolder, 'owners');
}

function lockFile(folder: string, owner: string): string {
  return join(folder, `${owner}${lockSuffix}`);
}

/** Null when there is no such file: its owner ended in good order, or was cleaned away. */
function openExisting(file: string): Database.Database | null {
  if (isGone(file)) return null;
  try {
    return new Database(file, { fileMustExist: true, timeout: 0 });
  } catch (thrown) {
    // It may go between the two calls.
    if (isGone(file)) return null;
    throw thrown;
  }
}

function isBusy(thrown: unknown): boolean {
  return codeOf(thrown).startsWith('SQLITE_BUSY');
}

/** Asks for the name alone: opening the file would drop a lock held by this very process. */
function isGone(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) === undefined;
}

function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error) || !('code' in thrown)) return '';
  return String(thrown.code);
}
