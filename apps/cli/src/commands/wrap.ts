/** `holdfast wrap`: one MCP server behind a gateway, without a manifest. */
import { type Command, Option } from 'commander';
import type { Program } from '../action.ts';
import { parseHeader } from './parse-header.ts';

export function addWrap(parent: Command, program: Program): void {
  parent
    .command('wrap')
    .summary('put one MCP server behind the gateway, without a manifest')
    .description(
      'Starts an MCP server, or connects to one, and serves its tools over standard input and output, with retries, circuit breaker and trace. For the configuration of a host: put it in front of the command that is there.',
    )
    .argument('<command...>', 'the command of the server, after --, or its address')
    .option('--name <name>', "the server's name in messages and traces (default: from the command)")
    .addOption(new Option('--profile <name>', 'the profile of the settings').choices(['spec', 'service', 'adaptive']).default('adaptive'))
    .addOption(new Option('--auth <type>', 'for an address: log in with OAuth').choices(['oauth']))
    .option('--header <header>', "for an address: 'name: ${VARIABLE}', with a prefix if needed; repeatable", parseHeader, {})
    .addHelpText(
      'after',
      `
Examples
  holdfast wrap -- npx -y @modelcontextprotocol/server-filesystem ~/Documents
  holdfast wrap https://mcp.example.com/mcp
  holdfast wrap --auth oauth https://mcp.example.com/mcp
  holdfast wrap --header 'authorization: Bearer \${TOKEN}' https://mcp.example.com/mcp

In the configuration of a host
  before   "command": "npx", "args": ["-y", "some-server"]
  after    "command": "npx", "args": ["-y", "holdfast", "wrap", "--", "npx", "-y", "some-server"]

The manifest that is used, the trace and the lock of the tools are in ~/.holdfast/<name>-…; HOLDFAST_HOME names another folder.`,
    )
    .action((words: readonly string[], _own: unknown, command: Command) =>
      program.runAction(command, () => import('../actions/wrap.ts'), words),
    );
}

/** What stands before the command of the server. Options of that command are not options of this one, also without `--`. */
const valueOptions: ReadonlySet<string> = new Set(['--name', '--profile', '--auth', '--header', '--store', '-c', '--config']);

/** Adds the `--` after `wrap` and its options, where it is missing. An address has no arguments: the options of `wrap` may also follow it. */
export function separateWrapped(args: readonly string[]): readonly string[] {
  if (args[0] !== 'wrap' || args.includes('--')) return args;
  let at = 1;
  while (args[at]?.startsWith('-') === true) at += valueOptions.has(args[at] ?? '') ? 2 : 1;
  if (/^https?:\/\//i.test(args[at] ?? '')) return args;
  return at < args.length ? [...args.slice(0, at), '--', ...args.slice(at)] : args;
}
