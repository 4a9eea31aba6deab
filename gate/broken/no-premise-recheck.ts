/** Stands in for `reference/permission.ts`: premises that once held are not read again. */
import { checkPermission as check, type Permission } from '../reference/permission.ts';

export * from '../reference/permission.ts';

export async function checkPermission(
  ...[engine, row, mandate]: Parameters<typeof check>
): Promise<Permission> {
  const premises = row.attempts === 0 ? mandate.premises : [];
  return await check(engine, row, { ...mandate, premises });
}
