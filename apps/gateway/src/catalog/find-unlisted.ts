/** Owns finding the server of a tool that no server has listed: by the prefix of its name. */
import { type Manifest, offeredName } from '@holdfast/manifest';
import type { UnlistedServer } from './catalog.ts';
import type { KnownServers } from './known-servers.ts';

export function unlistedServer(
  name: string,
  { mcpServers, gateway }: Manifest,
  known: Pick<KnownServers, 'unlisted'>,
): UnlistedServer | undefined {
  const { names } = gateway;
  const beginning = (prefix: string): string => (prefix === '' ? '' : offeredName('', `${prefix}${names.separator}`, names));
  const matching = Object.entries(mcpServers).filter(([, { expose, prefix }]) => expose && name.startsWith(beginning(prefix)));
  // A server without a prefix could offer any name: it explains only those that belong to no other server.
  const longest = Math.max(...matching.map(([, { prefix }]) => prefix.length));
  return matching.filter(([, { prefix }]) => prefix.length === longest).flatMap(([server]) => known.unlisted(server) ?? [])[0];
}
