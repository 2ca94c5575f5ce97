/** Owns the announcement of a call before it runs. */
import type { ClientRequest, JsonObject } from '@holdfast/mcp-wire/server';
import type { CatalogEntry } from '../catalog/entry.ts';
import type { CallAnnouncement } from '../operation/announcement.ts';

export function announcement(
  callId: string,
  { name, source }: CatalogEntry,
  args: JsonObject,
  { client }: ClientRequest,
): CallAnnouncement {
  const called = client.info?.['name'];
  return {
    callId,
    toolName: name,
    server: source.kind === 'mcp' ? source.server : undefined,
    principal: client.principal,
    client: typeof called === 'string' ? called : undefined,
    era: client.era,
    arguments: args,
  };
}
