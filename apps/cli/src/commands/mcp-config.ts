/** `holdfast mcp-config`: prints the configuration of an MCP host. */
import { type Command, Option } from 'commander';
import type { Program } from '../action.ts';

/** Repeated here so that help and usage errors load no other module. */
const hostNames = [
  'claude-desktop',
  'claude-code',
  'cursor',
  'vscode',
  'windsurf',
  'codex',
  'gemini-cli',
  'opencode',
  'zed',
  'cline',
] as const;

export function addMcpConfig(parent: Command, program: Program): void {
  parent
    .command('mcp-config')
    .summary('print the configuration for an MCP host')
    .description(
      'Prints the snippet that adds the gateway to an MCP host, with absolute paths. The snippet goes to standard output, the instructions to standard error.',
    )
    .addOption(new Option('--host <name>', 'the host').choices([...hostNames, 'any']).default('any'))
    .addOption(new Option('--stdio', 'the host starts the gateway (default)').conflicts('url'))
    .option('--url [address]', "the host connects to a running gateway (default: the manifest's address)")
    .option('--name <name>', "the server's name in the host", 'holdfast')
    .addHelpText(
      'after',
      `
Examples
  holdfast mcp-config --host claude-desktop
  holdfast mcp-config --host claude-code --url > .mcp.json
  holdfast mcp-config --host codex >> ~/.codex/config.toml`,
    )
    .action((_own: unknown, command: Command) => program.runAction(command, () => import('../actions/mcp-config.ts'), undefined));
}
