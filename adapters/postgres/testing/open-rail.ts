/** A program that has a rail open and is killed: says where its server is, then does nothing for ever. */
import { createRail } from '../rail.ts';

async function main(): Promise<void> {
  const rail = await createRail({ options: {} });
  const { endpoint } = await rail.openNamespace('killed');
  process.stdout.write(`${JSON.stringify(endpoint)}\n`);
  setInterval(() => undefined, 60_000);
}

main().catch((error: unknown) => {
  process.stderr.write(String(error));
  process.exitCode = 1;
});
