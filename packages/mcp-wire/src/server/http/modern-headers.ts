/** Owns comparing the headers of a modern request with its body: a proxy that routes by headers must see what is executed. */
import type { IncomingHttpHeaders } from 'node:http';
import { metaKeys } from '../../era.ts';
import { type JsonObject, rpcCodes, rpcError } from '../../message.ts';
import type { ConnectedClient, ServerHandler } from '../handler.ts';
import type { IncomingRequest } from '../parse-message.ts';
import { decodeHeader, isSame, paramHeaders, valueAt } from './param-headers.ts';

const nameFields: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

export function checkVersionHeader(headers: IncomingHttpHeaders, meta: JsonObject): void {
  const header = headers['mcp-protocol-version'];
  if (header === undefined) throw mismatch('MCP-Protocol-Version is missing');
  if (header !== meta[metaKeys.protocolVersion]) throw mismatch('MCP-Protocol-Version does not match the body');
}

export function checkMethodHeaders(headers: IncomingHttpHeaders, { method, params }: IncomingRequest): void {
  if (headers['mcp-method'] === undefined) throw mismatch('Mcp-Method is missing');
  if (headers['mcp-method'] !== method) throw mismatch('Mcp-Method does not match the body');
  const field = nameFields.get(method);
  const name = field === undefined ? undefined : params[field];
  const header = headers['mcp-name'];
  if (method.startsWith('tasks/') && typeof header === 'string' && decodeHeader(header) !== params['taskId'])
    throw mismatch('Mcp-Name does not match the body');
  if (typeof name !== 'string') return;
  if (typeof header !== 'string') throw mismatch('Mcp-Name is missing');
  if (decodeHeader(header) !== name) throw mismatch('Mcp-Name does not match the body');
}

export function checkParamHeaders(
  headers: IncomingHttpHeaders,
  handler: ServerHandler,
  client: ConnectedClient,
  { method, params }: IncomingRequest,
): void {
  if (method !== 'tools/call' || handler.inputSchema === undefined || typeof params['name'] !== 'string') return;
  const schema = handler.inputSchema(params['name'], client);
  if (schema === undefined) return;
  for (const { path, header } of paramHeaders(schema)) {
    const actual = headers[header];
    const value = valueAt(params['arguments'], path) ?? undefined;
    if (typeof value === 'object') continue;
    if (value === undefined && actual === undefined) continue;
    if (typeof actual !== 'string') throw mismatch(`${header} is missing`);
    if (value === undefined || !isSame(actual, value)) throw mismatch(`${header} does not match the arguments`);
  }
}

const mismatch = (what: string): Error => rpcError(rpcCodes.headerMismatch, `Header mismatch: ${what}`);
