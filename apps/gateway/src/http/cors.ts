/** Owns the CORS headers for pages of allowed origins. */
import type { ServerResponse } from 'node:http';

export function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('vary', 'origin');
  response.setHeader('access-control-expose-headers', 'mcp-session-id, retry-after, www-authenticate');
}

/** The known headers; those of a tool's `x-mcp-header` are allowed when a page requests them. */
const usualHeaders =
  'authorization, content-type, accept, last-event-id, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, x-api-key, x-goog-api-key, api-key';

export function answerPreflight(response: ServerResponse, asked: string | undefined): void {
  const params = (asked ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => /^mcp-param-[\w!#$%&'*+\-.^`|~]+$/.test(name));
  response.writeHead(204, {
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': [usualHeaders, ...params].join(', '),
    'access-control-max-age': '600',
    'content-length': '0',
  });
  response.end();
}
