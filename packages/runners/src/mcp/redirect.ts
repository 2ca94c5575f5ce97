/** Owns the words for a redirect of an MCP server: it is not followed, since the other address would get the headers. */
import type { WireError } from '@holdfast/mcp-wire/client';

export const isRedirect = (status: number): boolean => status >= 300 && status < 400;

export function redirectText(status: number, headers: WireError['headers']): string {
  const to = String(headers?.['location'] ?? 'no address').slice(0, 200);
  return `HTTP ${status}: it redirects to ${to}, which is not followed. If that address is right, set it as the url of the server`;
}
