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
  return Object.entries(mcpServers)
    .filter(([, entry]) => entry.expose && name.startsWith(beginning(entry.prefix)))
    .toSorted(([, one], [, other]) => other.prefix.length - one.prefix.length)
    .flatMap(([server]) => known.unlisted(server) ?? [])[0];
}
