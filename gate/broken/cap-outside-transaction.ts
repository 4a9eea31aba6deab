/** Stands in for `reference/permission.ts`: caps are summed up with the other checks, before the transaction. */
import { setTimeout as sleep } from 'node:timers/promises';
import { whyOverCap } from '../reference/caps.ts';
import { requestOf } from '../reference/engine.ts';
import { checkPermission as check, type Permission } from '../reference/permission.ts';

/** Whatever else a gate may do between a check and its transaction: long enough for another process to check. */
const betweenMs = 100;

export * from '../reference/permission.ts';

export async function checkPermission(
  ...[engine, row, mandate]: Parameters<typeof check>
): Promise<Permission> {
  const permission = await check(engine, row, mandate);
  if (permission.kind !== 'granted') return permission;
  const { allowance } = permission;
  const why = whyOverCap({
    lease: mandate.lease,
    caps: allowance.caps,
    request: requestOf(row),
    others: [...engine.ledger.spendingUnder(mandate.lease, row)],
  });
  if (why !== null) return { kind: 'refused', why };
  await sleep(betweenMs);
  return { kind: 'granted', allowance: { ...allowance, caps: [] } };
}
