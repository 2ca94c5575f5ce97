/** A handwritten HTTP server whose tools are given by each test. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Served, listening } from './http-servers.ts';
import type { ConnectOptions, JsonObject, McpConnection } from '../../../src/client/index.ts';
import { connected, ending, webLink } from './connections.ts';

interface Asked {
  readonly method: string;
  readonly id?: number;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface Hostile {
  readonly url: URL;
  /** Every message that was posted. */
  readonly posted: (Asked & { readonly headers: IncomingMessage['headers'] })[];
}

export type Tool = (response: ServerResponse, asked: Asked) => unknown;

export interface Behaviour {
  readonly tool: Tool;
  /** A notification; accepted by default. */
  readonly notified?: (response: ServerResponse) => void;
  /** GET; refused by default. */
  readonly stream?: (response: ServerResponse, request: IncomingMessage) => void;
}

export const answer = (response: ServerResponse, body: unknown, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(typeof body === 'string' ? body : JSON.stringify(body));

export const resultOf = (id: number | string | undefined, value: unknown = 'ok'): object => ({ jsonrpc: '2.0', id, result: { value } });

/** Starts a stream of events. */
export function events(response: ServerResponse, status = 200): ServerResponse {
  response.writeHead(status, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  return response;
}

export const event = (message: unknown, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;

async function hostileWeb({ tool, stream, notified }: Behaviour): Promise<Hostile> {
  const posted: Hostile['posted'] = [];
  const served: Served = await listening(async (request, response) => {
    let source = '';
    for await (const chunk of request) source += String(chunk);
    if (request.method === 'GET') return stream === undefined ? void response.writeHead(405).end() : stream(response, request);
    if (request.method !== 'POST') return void response.writeHead(200).end();
    const asked = JSON.parse(source) as Asked;
    posted.push({ ...asked, headers: request.headers });
    if (asked.method === 'tools/call') return void tool(response, asked);
    if (asked.id === undefined && notified !== undefined) return notified(response);
    if (asked.id === undefined || asked.method === undefined) return void response.writeHead(202).end();
    const capabilities = { tools: {} };
    const serverInfo = { name: 'hostile', version: '1' };
    if (asked.method === 'initialize')
      answer(response, { jsonrpc: '2.0', id: asked.id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo } });
    else if (asked.method === 'server/discover')
      answer(response, { jsonrpc: '2.0', id: asked.id, result: { supportedVersions: ['2026-07-28'], capabilities, serverInfo } });
    else answer(response, resultOf(asked.id));
  });
  ending(served.close);
  return { url: served.url, posted };
}

/** A connection to such a server. */
export async function reach(
  behaviour: Behaviour | Tool,
  options: Partial<ConnectOptions> = {},
  maxMessageBytes = 100_000,
): Promise<{ readonly to: McpConnection; readonly web: Hostile }> {
  const web = await hostileWeb(typeof behaviour === 'function' ? { tool: behaviour } : behaviour);
  return { web, to: await connected(webLink(web.url, { authorization: 'Bearer t' }, maxMessageBytes), { eras: ['legacy'], ...options }) };
}

export const call = (to: McpConnection, args: JsonObject = {}, options = {}): Promise<JsonObject> =>
  to.request('tools/call', { name: 'tool', arguments: args }, options);
