/** Owns whether a server of the manifest has logins. */
import type { Manifest } from '@holdfast/manifest';

export function hasLogins({ mcpServers }: Manifest, server: string): boolean {
  const entry = Object.hasOwn(mcpServers, server) ? mcpServers[server] : undefined;
  return entry !== undefined && 'auth' in entry && entry.auth !== undefined;
}
