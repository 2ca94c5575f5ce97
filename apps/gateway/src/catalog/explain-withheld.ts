/** Owns what the lock file withholds from clients: why a tool that a client knows is not offered, and which instructions are not passed on. */
import { type Manifest, offeredName } from '@holdfast/manifest';
import type { KnownServers } from './known-servers.ts';
import { instructionsEntry } from './locked-parts.ts';
import { serverToolOf } from './manifest-tools.ts';

/** Returns the reason for a tool that would be offered under this name if its definition had not changed. */
export function withheldReason(
  name: string,
  { mcpServers, tools, gateway }: Manifest,
  known: Pick<KnownServers, 'get'>,
): string | undefined {
  const own = tools.find((entry) => entry.name === name);
  const runsOn = own && serverToolOf(own);
  if (runsOn !== undefined) return known.get(runsOn.server)?.withheld.get(runsOn.tool);
  for (const [server, entry] of Object.entries(mcpServers)) {
    for (const [tool, message] of known.get(server)?.withheld ?? []) {
      const renamed = Object.hasOwn(entry.tools, tool) ? entry.tools[tool]?.name : undefined;
      const offered = renamed === undefined ? offeredName(entry.prefix, tool, gateway.names) : offeredName('', renamed, gateway.names);
      if (offered === name) return message;
    }
  }
  return undefined;
}

/** A blocking lock passes on only the very instructions that it has checked: a server that has just connected may have others. */
export function withholdsInstructions(
  server: string,
  instructions: string,
  { gateway }: Manifest,
  known: Pick<KnownServers, 'get'>,
): boolean {
  const state = known.get(server);
  if (state?.withheld.has(instructionsEntry) === true) return true;
  return gateway.toolLock === 'block' && state?.instructions !== instructions;
}

/** The reasons by the server's names of its tools; its instructions are not a tool. */
export function withheldTools(server: string, known: Pick<KnownServers, 'get'>): Readonly<Record<string, string>> {
  const withheld = known.get(server)?.withheld ?? [];
  return Object.fromEntries([...withheld].filter(([tool]) => tool !== instructionsEntry));
}
