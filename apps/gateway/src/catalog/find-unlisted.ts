/** Owns finding the server of a tool that no server has listed: by the prefix of its name. */
import { type Manifest, offeredName } from '@holdfast/manifest';
import type { UnlistedServer } from './catalog.ts';
import type { KnownServers } from './known-servers.ts';
import { serverToolOf } from './manifest-tools.ts';

export function unlistedServer(
  name: string,
  { mcpServers, tools, gateway }: Manifest,
  known: Pick<KnownServers, 'get' | 'unlisted'>,
): UnlistedServer | undefined {
  const own = tools.find((entry) => entry.name === name && entry.enabled !== false);
  const runsOn = own && serverToolOf(own);
  if (runsOn !== undefined) return known.unlisted(runsOn.server);
  const { names } = gateway;
  const beginning = (prefix: string): string => (prefix === '' ? '' : offeredName('', `${prefix}${names.separator}`, names));
  return Object.entries(mcpServers)
    .filter(([, entry]) => entry.expose && name.startsWith(beginning(entry.prefix)))
    .toSorted(([, one], [, other]) => other.prefix.length - one.prefix.length)
    .flatMap(([server]) => (known.get(server)?.tools.length === 0 ? (known.unlisted(server) ?? []) : []))[0];
}
