/** `killpoint doctor`: what this machine offers, what is missing, what that costs. */
import { exitCodes } from '../model/errors.ts';
import type { CliContext } from './context.ts';
import { type Check, runChecks } from './doctor-checks.ts';

export async function doctorCommand(context: CliContext, form: 'text' | 'json'): Promise<0 | 70> {
  const checks = await runChecks();
  context.print(
    form === 'json'
      ? `${JSON.stringify({ killpoint: context.version, checks }, null, 2)}\n`
      : `killpoint ${context.version}\n${checks.map(renderCheck).join('')}`,
  );
  return checks.some(({ state }) => state === 'fatal') ? exitCodes.internal : exitCodes.met;
}

function renderCheck({ name, state, found, cost, remedy }: Check): string {
  const lines = [`${state.padEnd(8)}${name.padEnd(18)}${found}`];
  if (cost !== null) lines.push(`${' '.repeat(26)}costs: ${cost}`);
  if (remedy !== null) lines.push(`${' '.repeat(26)}to do: ${remedy}`);
  return lines.map((line) => `${line}\n`).join('');
}
