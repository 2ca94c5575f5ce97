/** `holdfast import`: a manifest from the configuration of an MCP host. */
import type { Command } from 'commander';
import type { Program } from '../action.ts';

export function addImport(parent: Command, program: Program): void {
  parent
    .command('import')
    .summary("make a manifest from an MCP host's configuration")
    .description(
      'Reads the MCP servers of a host (mcpServers, servers, context_servers) and writes a manifest with them. Secrets are not copied: the manifest names environment variables for them.',
    )
    .argument('<file>', 'such as claude_desktop_config.json, .mcp.json or .vscode/mcp.json')
    .option('-o, --output <file>', 'the manifest to write; - prints it', 'holdfast.yaml')
    .addHelpText(
      'after',
      `
Examples
  holdfast import ~/.config/Claude/claude_desktop_config.json
  holdfast import .vscode/mcp.json --output -
  holdfast serve --mcp-config claude_desktop_config.json      # without a manifest`,
    )
    .action((file: string, _own: unknown, command: Command) => program.runAction(command, () => import('../actions/import.ts'), file));
}
