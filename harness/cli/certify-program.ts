/** `killpoint certify` and what it can certify; each kind of subject has a command of its own. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { jsonOption } from './arguments.ts';
import { addCertifyGate } from './certify-gate-program.ts';
import { addCertifyMcp } from './certify-mcp-program.ts';
import { withRunOptions } from './certify-options.ts';
import { certifyTargetCommand } from './certify-target-command.ts';
import type { CertifyTargetOptions } from './certifying.ts';
import type { CliContext } from './context.ts';

export function addCertify(
  program: Command,
  context: CliContext,
  finish: (code: number) => void,
): void {
  const certify = program
    .command('certify')
    .description('Prove or refute what somebody else’s target or gate claims.');
  addCertifyTarget(certify, context, finish);
  addCertifyGate(certify, context, finish);
  addCertifyMcp(certify, context, finish);
}

function addCertifyTarget(
  certify: Command,
  context: CliContext,
  finish: (code: number) => void,
): void {
  withRunOptions(certify.command('target'), {
    only: 'run only this cell, with or without gate/target/, and write no certificate',
    out: 'certificate',
    what: 'where the certificate goes',
  })
    .description(
      'Run the cells that prove or refute what a target declares, and write a certificate.',
    )
    .argument(
      '<module>',
      'the target: a TypeScript or JavaScript file, bundled as it stands, or the name of one that comes with Killpoint',
    )
    // Told in this command's own words where it is missing.
    .addOption(new Option('--rail <module>', 'the service behind it, in the same form'))
    .option('--target-export <name>', 'what the target module exports', exportName, 'createTarget')
    .option('--rail-export <name>', 'what the rail module exports', exportName, 'createRail')
    .option('--options <json>', 'options of the target, never credentials', jsonOption, {})
    .option('--rail-options <json>', 'options of the rail', jsonOption, {})
    .option(
      '--against-url <url>',
      'a service that already runs; the rail gets it as options.url',
      url,
    )
    .addHelpText('after', certifyTargetHelp)
    .action(async (target: string, options: Omit<CertifyTargetOptions, 'target'>) => {
      finish(await certifyTargetCommand(context, { target, ...options }));
    });
}

const certifyTargetHelp = `
Examples:
  killpoint certify target ./my-target.ts --rail ./my-rail.ts
      every cell that proves or refutes the declaration; certificate/certificate.md and .json
  killpoint certify target ./my-target.ts --rail ./my-rail.ts --only during_call:now/none/none/same-again
      one cell, while you mend what it shows
  killpoint certify target ./my-target.ts --rail ./my-rail.ts --against-url http://localhost:8080
      against your own development server
  killpoint judge certificate/certificate.json
      every verdict again from the histories, without the target

Exit codes: 0 proven is what was declared · 1 it is less · 2 something proved nothing · 64 wrong usage, or a target that contradicts itself · 70 a fault of Killpoint itself
`;

function exportName(text: string): string {
  if (/^[A-Za-z_$][\w$]*$/.test(text)) return text;
  throw new InvalidArgumentError('Expected the name of an export.');
}

function url(text: string): string {
  if (URL.canParse(text)) return text;
  throw new InvalidArgumentError('Expected a URL, like http://localhost:8080.');
}
