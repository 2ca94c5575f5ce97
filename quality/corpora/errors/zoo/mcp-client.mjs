import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { c } from '../world/index.mjs';
import { httpCases, label } from '../world/matrix.mjs';

export const packages = ['@modelcontextprotocol/client'];

const init = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
/** A server that starts every session and answers every later request by `spec`. */
const server = (w, spec) => w.canned((req, _url, text) => {
  if (req.method !== 'POST') return { status: 405 };
  const { id, method } = JSON.parse(text);
  if (method === 'initialize') return { status: 200, body: { jsonrpc: '2.0', id, result: init } };
  if (id === undefined) return { status: 202 };
  return typeof spec === 'function' ? spec(id) : spec;
});
const connect = async (base) => { const client = new Client({ name: 'c', version: '1' }); await client.connect(new StreamableHTTPClientTransport(new URL(base))); return client; };
const call = async (w, spec) => (await connect(server(w, spec))).callTool({ name: 'pay', arguments: {} }, { timeout: 1500 });
const http = (id, status, wanted, headers) => c(id, `HTTP ${status} in answer to a call`, (w) => call(w, { status, headers, body: { message: 'no' } }), { label: wanted });
const rpc = (id, code, message, wanted) => c(id, `JSON-RPC ${code}`, (w) => call(w, (request) => ({ status: 200, body: { jsonrpc: '2.0', id: request, error: { code, message } } })), { label: wanted });

export const cases = [
  ...httpCases(connect, { skip: ['timeout', '401', '404', '422', '429', '503', '504'] }),
  http('401', 401, label('permanent', 'auth', false)),
  http('403', 403, label('permanent', 'permission', false, { also: ['auth'] })),
  http('429', 429, label('transient', 'rate_limit', false, { unscored: ['retryAfterMs'] }), { 'retry-after': '2' }),
  http('503', 503, label('transient', 'unavailable', false, { unscored: ['ambiguous'] })),
  http('500', 500, label('transient', 'unavailable', true)),
  http('404', 404, label('transient', 'network', true, { also: ['not_found'], unscored: ['classification', 'ambiguous'] })),
  rpc('params', -32602, 'Invalid arguments for tool pay', label('permanent', 'invalid_input', false)),
  rpc('method', -32601, 'Method not found', label('permanent', 'unsupported', false)),
  rpc('internal', -32603, 'Internal error', label('transient', 'unavailable', true, { unscored: ['classification'] })),
  c('timeout', 'no answer in time', (w) => call(w, { status: 202 }), { label: label('transient', 'timeout', true) }),
];
