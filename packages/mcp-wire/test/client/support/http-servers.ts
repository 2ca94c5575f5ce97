/** The servers of the SDKs over HTTP, in this process. */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server as HttpServer, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type NodeIncomingMessageLike, NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createV1Server } from '../fixtures/v1-server.ts';
import { createV2Server } from '../fixtures/v2-server.ts';

export interface Served {
  readonly url: URL;
  readonly sessions: () => number;
  readonly close: () => Promise<void>;
}

type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

export async function listening(serve: Serve, sessions: () => number = () => 0): Promise<Served> {
  const server: HttpServer = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    sessions,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Transport {
  handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** One transport per session. */
function sessionful(open: (began: (id: string) => void, closed: (id: string) => void) => Promise<Transport>): Promise<Served> {
  const sessions = new Map<string, Transport>();
  const serve: Serve = async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const known = sessions.get(String(id));
    if (known !== undefined) return known.handleRequest(request, response);
    if (id !== undefined) return void response.writeHead(404).end();
    const transport = await open(
      (given) => sessions.set(given, transport),
      (given) => sessions.delete(given),
    );
    await transport.handleRequest(request, response);
  };
  return listening(serve, () => sessions.size);
}

export const v1Http = (): Promise<Served> =>
  sessionful(async (onsessioninitialized, onsessionclosed) => {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized, onsessionclosed });
    await createV1Server().connect(transport as never);
    return transport;
  });

export const v2LegacyHttp = (): Promise<Served> =>
  sessionful(async (onsessioninitialized, onsessionclosed) => {
    const server = createV2Server({
      toolsChanged: () => void server.sendToolListChanged(),
      resourceUpdated: (uri) => void server.sendResourceUpdated({ uri }),
    });
    const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized, onsessionclosed });
    await server.connect(transport);
    return transport;
  });

export async function v2ModernHttp(): Promise<Served> {
  const handler = createMcpHandler(
    () =>
      createV2Server({ toolsChanged: () => handler.notify.toolsChanged(), resourceUpdated: (uri) => handler.notify.resourceUpdated(uri) }),
    { legacy: 'reject' },
  );
  const serve = toNodeHandler(handler);
  const served = await listening((request, response) => serve(request as NodeIncomingMessageLike, response));
  return {
    ...served,
    async close() {
      await handler.close();
      await served.close();
    },
  };
}
