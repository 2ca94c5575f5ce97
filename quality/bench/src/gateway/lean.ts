/**
 * A program: a server with one tool, `echo`, and no library, so that only what is in front of it is measured.
 * `stdio` uses its pipes; `http` listens on a free port of the loopback and prints its address.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

interface Incoming {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly message?: string } };
}

const tool = {
  name: 'echo',
  description: 'Returns its input',
  inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  annotations: { readOnlyHint: true },
};

function answer({ id, method, params }: Incoming): string | undefined {
  if (id === undefined || method === undefined) return undefined;
  const message = (body: object): string => JSON.stringify({ jsonrpc: '2.0', id, ...body });
  switch (method) {
    case 'tools/call':
      return message({ result: { content: [{ type: 'text', text: params?.arguments?.message ?? '' }] } });
    case 'tools/list':
      return message({ result: { tools: [tool] } });
    case 'initialize':
      return message({
        result: {
          protocolVersion: params?.protocolVersion ?? '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'lean', version: '1.0.0' },
        },
      });
    case 'ping':
      return message({ result: {} });
    default:
      return message({ error: { code: -32601, message: 'Method not found' } });
  }
}

function serveStdio(): void {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const said = answer(JSON.parse(line) as Incoming);
    if (said !== undefined) process.stdout.write(`${said}\n`);
  });
}

function serveHttp(): void {
  const session = randomUUID();
  const take = (body: string, response: ServerResponse): void => {
    const said = answer(JSON.parse(body) as Incoming);
    if (said === undefined) response.writeHead(202).end();
    else
      response
        .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': session, 'content-length': Buffer.byteLength(said) })
        .end(said);
  };
  const server = createServer((request: IncomingMessage, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      take(body, response);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
  });
}

if (process.argv[2] === 'http') serveHttp();
else serveStdio();
