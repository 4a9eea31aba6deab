/**
 * The reference gate with one rule removed: it owns by a lease that runs out, not by a lock that the
 * kernel holds for as long as the process exists. A process that stands still for longer than its
 * lease has lost its intents without knowing it, and goes on where it stopped.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGate } from '../reference/gate.ts';
import type { Ownership } from '../reference/ownership.ts';
import { referencePoints } from '../reference/points.ts';
import { runSubject } from '../subject.ts';

/** Shorter than any process takes to start, so that who comes second finds it run out. */
const leaseMs = 20;

function ownByLease(ledger: string): Ownership {
  const folder = join(ledger, 'leases');
  const fileOf = (owner: string) => join(folder, owner);
  const id = randomUUID();
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(id), '');
  const renewal = setInterval(() => utimesSync(fileOf(id), new Date(), new Date()), leaseMs / 4);
  return {
    id,
    isAlive(owner) {
      const renewedMs = statSync(fileOf(owner), { throwIfNoEntry: false })?.mtimeMs;
      return renewedMs !== undefined && Date.now() - renewedMs < leaseMs;
    },
    release() {
      clearInterval(renewal);
      unlinkSync(fileOf(id));
    },
  };
}

runSubject({
  name: 'owner-by-timeout',
  version: '1',
  points: referencePoints,
  resolves: true,
  openGate: ({ start, target, authority, now, at }) =>
    createGate({ target, ledger: start.ledger, authority, now, at, own: ownByLease }),
});
