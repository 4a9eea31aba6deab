/** Stands in for `reference/permission.ts`: a stated reason is good enough, whatever the lease covers. */
import { checkPermission as check, type Permission } from '../reference/permission.ts';

export * from '../reference/permission.ts';

export async function checkPermission(
  ...[engine, row, mandate]: Parameters<typeof check>
): Promise<Permission> {
  return await check(engine, { ...row, distinctBy: null }, mandate);
}
