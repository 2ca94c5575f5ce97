/** Owns two people with a token each at one gateway, and what they send. */
import { join } from 'node:path';
import { type GatewayInProcess, type ManifestWords, startGateway, type StartOptions } from '../fixtures/gateway.ts';
import { programServer } from '../fixtures/manifests.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers are read without types
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Json;
}

export interface Stream {
  readonly status: number;
  readonly text: () => string;
  /** Resolves when the text contains it; rejects after two seconds. */
  until(part: string): Promise<void>;
  close(): void;
}

const board = { command: process.execPath, words: [join(import.meta.dirname, 'board.mjs')] };
export const boardServer = (more: ManifestWords = {}): ManifestWords => programServer(board, {}, more);

export const secrets = { alice: 'alice-token-0123456789', bob: 'bob-token-0123456789ab' } as const;

export async function gatewayOf(gateway: ManifestWords, servers: ManifestWords, options?: StartOptions): Promise<GatewayInProcess> {
  process.env['ALICE_TOKEN'] = secrets.alice;
  process.env['BOB_TOKEN'] = secrets.bob;
  const tokens = [
    { name: 'alice', env: 'ALICE_TOKEN' },
    { name: 'bob', env: 'BOB_TOKEN' },
  ];
  const started = await startGateway({ mcp_servers: servers, gateway: { tokens, reload: false, ...gateway } }, options);
  await started.gateway.ready();
  return started;
}

export class Person {
  readonly #origin: string;
  readonly #token: string;
  session: string | undefined;
  #lastId = 0;

  constructor(url: string, token: string) {
    this.#origin = new URL(url).origin;
    this.#token = token;
  }

  async send(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const response = await this.#fetch(method, path, body, headers);
    const text = await response.text();
    const data = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
    return { status: response.status, headers: response.headers, text, body: readJson(data) };
  }

  async stream(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Stream> {
    const aborter = new AbortController();
    const response = await this.#fetch(method, path, body, { accept: 'text/event-stream, application/json', ...headers }, aborter.signal);
    let text = '';
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    void (async () => {
      for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) text += part.value;
    })().catch(() => undefined);
    return {
      status: response.status,
      text: () => text,
      close: () => aborter.abort(),
      async until(part) {
        for (let wait = 0; wait < 100 && !text.includes(part); wait += 1) await new Promise((resolve) => setTimeout(resolve, 20));
        if (!text.includes(part)) throw new Error(`No '${part}' in: ${text}`);
      },
    };
  }

  async greet(capabilities: object = {}, path = '/mcp'): Promise<this> {
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'test', version: '1' } };
    const answer = await this.send('POST', path, this.message('initialize', params));
    this.session = answer.headers.get('mcp-session-id') ?? undefined;
    await this.send('POST', path, { jsonrpc: '2.0', method: 'notifications/initialized' }, this.inSession());
    return this;
  }

  message(method: string, params: object = {}, id: number | string = (this.#lastId += 1)): object {
    return { jsonrpc: '2.0', id, method, params };
  }

  inSession(session: string | undefined = this.session): Readonly<Record<string, string>> {
    return session === undefined ? {} : { 'mcp-session-id': session };
  }

  mcp(method: string, params: object = {}, headers: Readonly<Record<string, string>> = this.inSession(), path = '/mcp'): Promise<Answer> {
    return this.send('POST', path, this.message(method, params), headers);
  }

  call(name: string, args: object = {}, more: object = {}): Promise<Answer> {
    return this.mcp('tools/call', { name, arguments: args, ...more });
  }

  /** In the era without sessions. */
  modern(method: string, params: Json = {}): Promise<Answer> {
    const name = params.name ?? params.uri;
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      ...params._meta,
    };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...(name === undefined ? {} : { 'mcp-name': name }) };
    return this.send('POST', '/mcp', this.message(method, { ...params, _meta: meta }), headers);
  }

  #fetch(method: string, path: string, body: unknown, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response> {
    return fetch(`${this.#origin}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        accept: 'application/json, text/event-stream',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
  }
}

function readJson(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
