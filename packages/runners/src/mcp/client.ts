/** Loaded at the first call: requests and the protocol client. */
import { loadHttpLink } from './load-http-link.ts';
import type { McpSettings } from './options.ts';

export { callTool } from './call-tool.ts';
export { listTools } from './list-tools.ts';
export { request } from './request.ts';

/** Loads the modules of a connection. */
export async function loadConnection({ endpoint }: McpSettings): Promise<void> {
  await import('./connection.ts');
  if (endpoint.type === 'http') await loadHttpLink();
}
