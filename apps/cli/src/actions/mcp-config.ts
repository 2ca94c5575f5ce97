/** `holdfast mcp-config`: prints the configuration of an MCP host. Prints variables by their name, never a value of one. */
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
  file: 'the mcpServers of your host',
  activation: `Hosts with a form of their own: ${programName()} mcp-config --host ${Object.keys(hosts).join('|')}`,
  ...common,
};

export const act: Action<undefined, McpConfigOptions> = async (_none, options, console) => {
  const manifest = await loadConfig(options, console);
  const host = hosts[options.host] ?? anyHost;
  const open = new Set<string>();
  const variable =
    host.variable ??
    ((name: string): string => {
      open.add(name);
      return `<value of ${name}>`;
    });
  const { name, url, store } = options;
  const snippet =
    url === undefined
      ? host.program(programServer(name, manifest, store), variable)
      : addressOf(host)(addressServer(name, manifest, url === true ? undefined : url), variable);
  console.out.line(typeof snippet === 'string' ? snippet : JSON.stringify(snippet, undefined, 2));
  printNextSteps(host, [...open], url !== undefined, console);
  return exitCodes.ok;
};

function addressOf({ title, address }: Host): NonNullable<Host['address']> {
  if (address) return address;
  throw new UsageError(`${title} reaches no address on this machine by its file: leave out --url, and it starts the gateway itself.`);
}

function printNextSteps({ title, file, activation }: Host, open: readonly string[], isAddress: boolean, { note, warning }: Console): void {
  note(`\nFor ${title}: put it into ${file}.`);
  note(activation);
  if (isAddress) note(`The gateway has to run: ${programName()} serve`);
  if (open.length > 0)
    warning(
      `replace the ${open.length === 1 ? 'mark' : 'marks'} <value of ${open.join('>, <value of ')}> by the value; this host reads none from its environment.`,
    );
}
