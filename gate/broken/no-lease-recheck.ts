/** Stands in for `reference/permission.ts`: a lease that once allowed a send allows all that follow. */
import type { LeaseState } from '../gate.ts';
import { checkPermission as check, type Permission } from '../reference/permission.ts';

export * from '../reference/permission.ts';

const live: LeaseState = { kind: 'live', expiresAtMs: null, coversReasons: [] };

export async function checkPermission(
  ...[engine, row, mandate]: Parameters<typeof check>
): Promise<Permission> {
  const authority = row.attempts === 0 ? engine.authority : { check: async () => live };
  return await check({ ...engine, authority }, row, mandate);
}
