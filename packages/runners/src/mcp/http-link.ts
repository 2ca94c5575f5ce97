/**
 * Owns the way to a Streamable HTTP server.
 *
 * Invariants
 * 1. A call whose answer stream breaks off, and cannot be resumed, is answered with an error instead of hanging.
 * 2. An aborted call is cancelled at the server, then its stream is closed.
 * 3. After `close` there is no timer and no connection.
 */
import {
  type FetchLike,
  type JSONRPCMessage,
  type MessageExtraInfo,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { type Agent, fetch as undiciFetch } from 'undici';
import { httpClient } from '../http/client.ts';
import { revealed } from '../options/secret.ts';
import { runnerError } from '../runner-error.ts';
import type { ServerLink } from './link.ts';
import type { HttpEndpoint, McpSettings } from './options.ts';

/** JSON-RPC code of the answer that is made up for a call whose answer was lost. */
const lostCallCode = -32_000;
/** `data` of that answer, so that it is told from an error of the server. */
export const lostCallMark = 'holdfast/call-lost';

export function httpLink(settings: McpSettings, endpoint: HttpEndpoint): ServerLink {
  const client = httpClient(settings.startupTimeoutMs);
  const timers = new Set<NodeJS.Timeout>();
  const headers = Object.fromEntries(Object.entries(endpoint.headers).map(([name, value]) => [name, revealed(value)]));
  const inner = new StreamableHTTPClientTransport(endpoint.url, {
    requestInit: { headers },
    fetch: limitedFetch(client.agent, settings.maxMessageBytes),
    reconnectionOptions: { initialReconnectionDelay: 200, maxReconnectionDelay: 2000, reconnectionDelayGrowFactor: 2, maxRetries: 2 },
    reconnectionScheduler: (reconnect, delayMs) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        reconnect();
      }, delayMs);
      timers.add(timer);
      return () => clearTimeout(timer);
    },
  });
  const cancels = new Set<Promise<void>>();
  watchStreams(inner, cancels);
  const closeInner = inner.close.bind(inner);
  inner.close = async () => {
    await endSession(inner, settings.graceMs);
    await closeInner();
    for (const timer of timers) clearTimeout(timer);
    await client.destroy();
  };
  return {
    transport: inner,
    pid: undefined,
    stderrTail: () => '',
    endReason: () => undefined,
    kill: () => inner.close(),
    cancelsDelivered: () => Promise.allSettled(cancels).then(() => {}),
  };
}

type CallId = string | number;
type SendOptions = NonNullable<Parameters<StreamableHTTPClientTransport['send']>[1]>;

/** Gives every request a stream of its own that can be closed, and notices streams that end without an answer. */
function watchStreams(transport: StreamableHTTPClientTransport, cancels: Set<Promise<void>>): void {
  const waiting = new Map<CallId, AbortController>();
  const sendInner = transport.send.bind(transport);
  observeAnswers(transport, (id) => waiting.delete(id));
  const lose = (id: CallId): void => {
    if (!waiting.delete(id)) return;
    const error = { code: lostCallCode, message: 'The connection was lost before the answer came', data: lostCallMark };
    transport.onmessage?.({ jsonrpc: '2.0', id, error });
  };
  const sendRequest = async (message: JSONRPCMessage, id: CallId, options: TransportSendOptions | undefined): Promise<void> => {
    const controller = new AbortController();
    waiting.set(id, controller);
    const requestSignal = options?.requestSignal ? AbortSignal.any([options.requestSignal, controller.signal]) : controller.signal;
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.();
      lose(id);
    };
    try {
      await sendInner(message, { ...(options as SendOptions), requestSignal, onRequestStreamEnd });
    } catch (error) {
      waiting.delete(id);
      throw error;
    }
  };
  transport.send = (message, options) => {
    if (!('method' in message)) return sendInner(message, options as SendOptions);
    if ('id' in message) return sendRequest(message, message.id, options);
    const sent = sendInner(message, options as SendOptions);
    if (message.method !== 'notifications/cancelled') return sent;
    const delivered = sent
      .catch(() => {})
      .then(() => {
        const id = message.params?.['requestId'] as CallId;
        waiting.get(id)?.abort();
        waiting.delete(id);
        cancels.delete(delivered);
      });
    cancels.add(delivered);
    return sent;
  };
}

/** Sees every answer before the protocol layer does, whichever handler that has set. */
function observeAnswers(transport: StreamableHTTPClientTransport, onAnswer: (id: CallId) => void): void {
  let handler: Transport['onmessage'];
  Object.defineProperty(transport, 'onmessage', {
    get: () => {
      const current = handler;
      if (current === undefined) return undefined;
      return (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
        if ('id' in message && message.id !== undefined && !('method' in message)) onAnswer(message.id);
        current(message, extra);
      };
    },
    set: (next: Transport['onmessage']) => {
      handler = next;
    },
  });
}

/**
 * `fetch` over one agent. The standing stream of a 2025 server is not opened: it would carry only what nobody here listens to.
 * A response over the limit breaks off.
 */
function limitedFetch(agent: Agent, maxBytes: number): FetchLike {
  return async (url, init) => {
    const isStandingStream = init?.method === 'GET' && !new Headers(init.headers).has('last-event-id');
    if (isStandingStream) return new Response(null, { status: 405 });
    const options = { ...init, dispatcher: agent } as unknown as Parameters<typeof undiciFetch>[1];
    const response = (await undiciFetch(String(url), options)) as unknown as Response;
    if (response.status === 429 || response.status >= 500) throw await statusError(response);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(byteLimit(maxBytes)), { status, statusText, headers: [...headers] });
  };
}

/** The protocol client would drop the headers, and with them `retry-after`. */
async function statusError(response: Response): Promise<Error> {
  const body = (await response.text().catch(() => '')).slice(0, 4096);
  const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== 'set-cookie'));
  const told = body === '' ? '' : `: ${body.slice(0, 200)}`;
  return runnerError('HTTP_STATUS', `HTTP ${response.status} from the MCP server${told}`, { status: response.status, headers, body });
}

function byteLimit(maxBytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > maxBytes) throw runnerError('MCP_MESSAGE_TOO_LARGE', `an answer was longer than ${maxBytes} bytes`);
      controller.enqueue(chunk);
    },
  });
}

/** Tells the server that the session is over, within the grace. */
async function endSession(transport: StreamableHTTPClientTransport, graceMs: number): Promise<void> {
  let patience: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    patience = setTimeout(resolve, graceMs);
  });
  await Promise.race([transport.terminateSession().catch(() => {}), late]);
  clearTimeout(patience);
}
