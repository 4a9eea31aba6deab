/** `killpoint certify mcp`, its options and its help. */
import type { Command } from 'commander';
import { jsonOption } from './arguments.ts';
import { type CertifyMcpOptions, certifyMcpCommand } from './certify-mcp-command.ts';
import { withRunOptions } from './certify-options.ts';
import type { CliContext } from './context.ts';

const gather = (value: string, values: readonly string[]) => [...values, value];

export function addCertifyMcp(
  certify: Command,
  context: CliContext,
  finish: (code: number) => void,
): void {
  withRunOptions(certify.command('mcp'), {
    only: 'run only this cell, with or without gate/target/',
    out: 'certificate-mcp',
    what: 'where results go',
  })
    .description('Drive an MCP server as an agent would, and kill it where the wire finds a place.')
    .argument('[command...]', 'what starts the server, behind two dashes')
    .option('--against <name>', 'a service to try it against; may be said again', gather, [])
    .requiredOption('--tool <name>', 'the tool that performs the effect')
    .requiredOption(
      '--args <json>',
      'its arguments; "{paymentIntent}" and other fields of the request are filled in',
      jsonOption,
    )
    .option(
      '--changed-args <json>',
      'its arguments when the caller asks for another amount (default: --args, filled in anew)',
      jsonOption,
    )
    .option(
      '--env <variable>',
      'NAME=VALUE for the server; {url}, {host}, {port} and credentials are filled in; may be said again',
      gather,
      [],
    )
    .addHelpText('after', certifyMcpHelp)
    .action(async (command: string[], options: CertifyMcpOptions) => {
      finish(await certifyMcpCommand(context, command, options));
    });
}

const certifyMcpHelp = `
Examples:
  killpoint certify mcp --against stripe.keyed --tool create_refund \\
      --args '{"payment":"{paymentIntent}","amount":"{amountMinor}"}' \\
      --env STRIPE_API_BASE={url} --env STRIPE_API_KEY={apiKey} -- node server.js
      the call is issued again after every broken connection, as an agent does

What it can show and what not stands in docs/certifying-mcp.md.

Exit codes: 0 every trial holds · 1 a promise was broken · 2 something proved nothing · 64 wrong usage, or a server that never offers the tool · 70 a fault of Killpoint itself
`;
