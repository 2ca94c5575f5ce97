/**
 * A server on the loopback interface that implements the providers' protocols.
 * Owns: the socket, reading bodies, unknown paths and methods. Does not own: what is refused, what is answered.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorBody } from '../answers/error-body.ts';
import type { NeutralRequest } from '../neutral/neutral-request.ts';
import type { BackendProfile } from '../rules/problem.ts';
import type { ConversationScript } from '../script/scripted-turn.ts';
import { exchange, type DoubleState } from './exchange.ts';
import { heldItems } from './held-items.ts';
import { heldThinking } from './held-thinking.ts';
import { heldThreads } from './held-threads.ts';
import { sendJson } from './play.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { routeOf } from './route.ts';
import { scriptPlayer } from './script-player.ts';

/** What the double answers and what it refuses. */
export interface ProviderDoubleOptions {
  /** What the model answers: one turn for each request that is not refused. */
  readonly script: ConversationScript;
  /** The backend whose rules and error bodies apply. @default each format's own provider */
  readonly profile?: BackendProfile;
  /** Any other key is refused. @default every key is accepted */
  readonly apiKey?: string;
  /** Any other model is not found. @default every model exists */
  readonly models?: readonly string[];
}

/** A running double of a provider, on the loopback interface. */
export interface ProviderDouble {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The base address for a client: the vendors' own SDKs, or those of AI SDK, which expect the version in it. */
  readonly baseUrlFor: (format: NeutralRequest['format'], client?: 'vendor' | 'ai-sdk') => string;
  /** Every request so far, in the order in which they were answered or refused. */
  readonly requests: readonly RecordedRequest[];
  /** Closes the server and every connection. */
  readonly close: () => Promise<void>;
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

async function answer(state: DoubleState, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/' } = incoming;
  const path = new URL(url, 'http://double').pathname;
  const text = await bodyOf(incoming);
  const route = method === 'POST' ? routeOf(path) : undefined;
  if (!route) {
    const message = `Invalid URL (${method} ${path})`;
    return sendJson(response, 404, errorBody('openai-chat', state.profile, { status: 404, message }));
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    const message = 'The request body is not valid JSON.';
    return sendJson(response, 400, errorBody(route.format, state.profile, { status: 400, message }));
  }
  await exchange(state, route, incoming, response, body);
}

const versions: Readonly<Record<NeutralRequest['format'], { readonly vendor: string; readonly aiSdk: string }>> = {
  'openai-chat': { vendor: '/v1', aiSdk: '/v1' },
  'openai-responses': { vendor: '/v1', aiSdk: '/v1' },
  'anthropic-messages': { vendor: '', aiSdk: '/v1' },
  gemini: { vendor: '', aiSdk: '/v1beta' },
  'bedrock-converse': { vendor: '', aiSdk: '' },
};

/**
 * Starts a provider that answers by script and refuses what real providers refuse.
 *
 * A script function that throws ends the exchange with 500 and its message.
 */
export async function startProviderDouble(options: ProviderDoubleOptions): Promise<ProviderDouble> {
  const { script, profile, apiKey, models } = options;
  if (typeof script !== 'function' && !Array.isArray(script)) {
    throw new TypeError(`script is ${typeof script}; it must be a list of turns or a function of the request`);
  }
  const requests: RecordedRequest[] = [];
  const memory = { held: heldItems(), threads: heldThreads(), thinking: heldThinking() };
  const state: DoubleState = { profile, apiKey, models, player: scriptPlayer(script), ...memory, requests, answers: 0, calls: 0 };
  const server = createServer((incoming, response) => {
    answer(state, incoming, response).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, errorBody('openai-chat', undefined, { status: 500, message }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    baseUrlFor: (format, client = 'vendor') => url + versions[format][client === 'vendor' ? 'vendor' : 'aiSdk'],
    requests,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
