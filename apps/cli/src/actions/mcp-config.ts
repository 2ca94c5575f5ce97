/** `holdfast mcp-config`: prints the configuration for an MCP host. Prints the names of environment variables, never their values. */
import type { Action } from '../action.ts';
import { type GlobalOptions, loadConfig } from '../config.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { common, type Host, hosts } from '../mcp-config/hosts.ts';
import { addressServer, programServer } from '../mcp-config/server.ts';
import type { Console } from '../terminal/console.ts';
import { programName } from '../terminal/program-name.ts';

interface McpConfigOptions extends GlobalOptions {
  readonly host: string;
  readonly name: string;
  readonly url?: string | true;
}

const anyHost: Host = {
  title: 'any host',
  file: 'the mcpServers section of its configuration',
  activation: `Hosts with their own format: ${programName()} mcp-config --host ${Object.keys(hosts).join('|')}`,
  ...common,
};

export const execute: Action<undefined, McpConfigOptions> = async (_none, options, console) => {
  const manifest = await loadConfig(options, console);
  const host = hosts[options.host] ?? anyHost;
  const placeholders = new Set<string>();
  const variable =
    host.variable ??
    ((name: string): string => {
      placeholders.add(name);
      return `<value of ${name}>`;
    });
  const { name, url, store } = options;
  const snippet =
    url === undefined
      ? host.program(programServer(name, manifest, store), variable)
      : addressOf(host)(addressServer(name, manifest, url === true ? undefined : url), variable);
  console.out.writeLine(typeof snippet === 'string' ? snippet : JSON.stringify(snippet, undefined, 2));
  printNextSteps(host, [...placeholders], url !== undefined, console);
  return exitCodes.ok;
};

function addressOf({ title, address }: Host): NonNullable<Host['address']> {
  if (address) return address;
  throw new UsageError(`${title} cannot connect to a local address: leave out --url to let it start the gateway itself.`);
}

function printNextSteps(
  { title, file, activation }: Host,
  placeholders: readonly string[],
  isAddress: boolean,
  { note, warn }: Console,
): void {
  note(`\nFor ${title}: add it to ${file}.`);
  note(activation);
  if (isAddress) note(`Start the gateway with: ${programName()} serve`);
  if (placeholders.length > 0)
    warn(`replace <value of ${placeholders.join('>, <value of ')}> with the actual value: this host does not read environment variables.`);
}
