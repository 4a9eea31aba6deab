/** `killpoint certify gate`, its options and its help. */
import type { Command } from 'commander';
import { type CertifyGateOptions, certifyGateCommand } from './certify-gate-command.ts';
import { withRunOptions } from './certify-options.ts';
import type { CliContext } from './context.ts';

export function addCertifyGate(
  certify: Command,
  context: CliContext,
  finish: (code: number) => void,
): void {
  withRunOptions(certify.command('gate'), {
    only: 'run only this cell, with or without gate/target/',
    out: 'certificate-gate',
    what: 'where results go',
  })
    .description(
      'Kill a gate of your own at every point that can be placed, and name the rules it lacks.',
    )
    .argument('[command...]', 'what starts the gate, behind two dashes')
    .option(
      '--against <name>',
      'a service to try it against: a target variant, or your own target module with --rail; may be said again',
      (name: string, names: readonly string[]) => [...names, ...name.split(',')],
      [],
    )
    .option('--rail <module>', 'the service behind your own target module')
    .addHelpText('after', certifyGateHelp)
    .action(async (command: string[], options: CertifyGateOptions) => {
      finish(await certifyGateCommand(context, command, options));
    });
}

const certifyGateHelp = `
Examples:
  killpoint certify gate --against stripe.keyed -- python3 my_gate.py
      every point it announces, or the wire finds, with every fault; which rules it lacks
  killpoint certify gate --against stripe.keyed --against stripe.lookup -- ./my-gate
      against two services
  killpoint certify gate --against stripe.keyed --only during_call:now/none/none/same-again -- ./my-gate
      one cell, while you mend what it shows

What a gate must speak stands in docs/subject-protocol.md; certifying is told in docs/certifying-gates.md.

Exit codes: 0 every trial holds · 1 a promise was broken · 2 something proved nothing · 64 wrong usage, or a gate that never says it is ready · 70 a fault of Killpoint itself
`;
