/** `holdfast mcp-config`: prints the configuration of an MCP host. */
import { type Command, Option } from 'commander';
import type { Program } from '../action.ts';

/** Repeated here so that help and mistakes load nothing. */
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
      'Prints the snippet that puts the gateway into an MCP host, with absolute paths. Standard output has the snippet alone, standard error where it belongs.',
    )
    .addOption(new Option('--host <name>', 'the host').choices([...hostNames, 'any']).default('any'))
    .addOption(new Option('--stdio', 'the host starts the gateway (default)').conflicts('url'))
    .option('--url [address]', "the host reaches a gateway that runs already (default: the manifest's address)")
    .option('--name <name>', 'what the server is called in the host', 'holdfast')
    .addHelpText(
      'after',
      `
Examples
  holdfast mcp-config --host claude-desktop
  holdfast mcp-config --host claude-code --url > .mcp.json
  holdfast mcp-config --host codex >> ~/.codex/config.toml`,
    )
    .action((_own: unknown, command: Command) => program.perform(command, () => import('../actions/mcp-config.ts'), undefined));
}
