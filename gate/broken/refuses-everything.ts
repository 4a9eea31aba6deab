/** Stands in for `reference/permission.ts`: nothing is ever allowed. */
import type { Permission } from '../reference/permission.ts';

export * from '../reference/permission.ts';

export async function checkPermission(): Promise<Permission> {
  return { kind: 'refused', why: 'nothing is allowed here' };
}
