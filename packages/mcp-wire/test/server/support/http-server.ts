/** Owns an HTTP transport on its own port, and raw requests to it. */
import { createServer, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  httpTransport,
  type HttpTransport,
  type HttpTransportLimits,
  type JsonObject,
  type ServerHandler,
} from '@holdfast/mcp-wire/server';

export interface HttpServerUnderTest extends AsyncDisposable {
  /** Requests whose response, or stream, has not ended at the server. */
  answering(): number;
  readonly transport: HttpTransport;
  readonly url: URL;
  readonly faults: readonly unknown[];
  /** The principal of the next requests. */
  principal: string | undefined;
  send(options: SendOptions): Promise<Reply>;
  /** Resolves with the headers; the body is read by `events`. */
  open(options: SendOptions): Promise<Stream>;
}

export interface SendOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | JsonObject | readonly unknown[];
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  json(): JsonObject & {
    readonly error?: { readonly code: number; readonly message: string; readonly data?: JsonObject };
    readonly result?: JsonObject;
  };
}

interface StreamEvent {
  readonly id: string | undefined;
  readonly message: JsonObject | undefined;
}

interface Stream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Everything received, including comments. */
  readonly raw: () => string;
  readonly events: () => readonly StreamEvent[];
  /** Resolves when this many events have arrived, or the stream has ended. */
  until(count: number): Promise<readonly StreamEvent[]>;
  readonly ended: Promise<void>;
  abort(): void;
}

const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

export async function startHttp(
  handler: ServerHandler,
  limits: Partial<HttpTransportLimits> = {},
  sessionKey?: string,
): Promise<HttpServerUnderTest> {
  const faults: unknown[] = [];
  const transport = httpTransport(handler, { limits, sessionKey, onFault: (error) => void faults.push(error) });
  const server = createServer((request: IncomingMessage, response: ServerResponse) =>
    transport.handle(request, response, { principal: under.principal }),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  let answering = 0;
  // After the transport has been notified.
  server.on('request', (_request, response) => {
    answering += 1;
    response.on('close', () => (answering -= 1));
  });
  const under: HttpServerUnderTest = {
    answering: () => answering,
    transport,
    url,
    faults,
    principal: undefined,
    async send(options) {
      const response = await begin(url, options);
      const text = await new Promise<string>((resolve, reject) => {
        let all = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => (all += part));
        response.on('end', () => resolve(all));
        response.on('error', reject);
      });
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        text,
        json: () => JSON.parse(text) as ReturnType<Reply['json']>,
      };
    },
    async open(options) {
      return streamOf(await begin(url, options));
    },
    async [Symbol.asyncDispose]() {
      await transport.close(0);
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return under;
}

function begin(url: URL, { method = 'POST', headers = {}, body }: SendOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers: { ...usual, ...headers }, agent: false }, resolve);
    request.on('error', reject);
    request.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
  });
}

function streamOf(response: IncomingMessage): Stream {
  let raw = '';
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const check of waiting) check();
  };
  response.setEncoding('utf8');
  response.on('data', (part: string) => {
    raw += part;
    wake();
  });
  const ended = new Promise<void>((resolve) => {
    response.on('close', () => {
      resolve();
      wake();
    });
    response.on('error', () => {});
  });
  const events = (): readonly StreamEvent[] => parseEvents(raw);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    raw: () => raw,
    events,
    ended,
    abort: () => void response.destroy(),
    until: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (events().length < count && !response.destroyed) return;
          waiting.delete(check);
          resolve(events());
        };
        waiting.add(check);
        check();
      }),
  };
}

function parseEvents(raw: string): readonly StreamEvent[] {
  const whole = raw.slice(0, raw.lastIndexOf('\n\n') + 2);
  return whole
    .split('\n\n')
    .filter((block) => /^(?:id|data|event):/m.test(block))
    .map((block) => {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      return {
        id: /^id: (.*)$/m.exec(block)?.[1],
        message: data === undefined || data === '' ? undefined : (JSON.parse(data) as JsonObject),
      };
    });
}

export interface LegacySession {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly handshake: JsonObject;
}

export async function performHandshake(
  server: HttpServerUnderTest,
  version = '2025-11-25',
  capabilities: JsonObject = {},
): Promise<LegacySession> {
  const params = { protocolVersion: version, capabilities, clientInfo: { name: 'test', version: '1' } };
  const reply = await server.send({ body: { jsonrpc: '2.0', id: 'handshake', method: 'initialize', params } });
  const id = reply.headers['mcp-session-id'] as string;
  const headers = { 'mcp-session-id': id, 'mcp-protocol-version': version };
  await server.send({ headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
  return { id, headers, handshake: reply.json().result as JsonObject };
}

export const call = (id: string | number, name: string, args: JsonObject = {}, meta?: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) },
});

export const modernMeta: JsonObject = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A request of the modern era, as its client should send it. */
export function modern(
  id: string | number,
  method: string,
  params: JsonObject = {},
  meta: JsonObject = {},
): Required<Omit<SendOptions, 'method'>> {
  const name = params['name'] ?? params['uri'];
  return {
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...modernMeta, ...meta } } },
  };
}

/** Waits until the condition holds; a machine under load needs time. */
export async function eventually(isSo: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + 10_000;
  while (!isSo()) {
    if (Date.now() > deadlineMs) throw new Error(`It never came to be: ${isSo.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
