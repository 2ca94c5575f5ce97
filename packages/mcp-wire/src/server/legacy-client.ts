/**
 * Owns what the transports share in the legacy era: the handshake, and the state of a client between its requests.
 *
 * Invariants
 * 1. When a client ends, everything it owns ends: its requests, the requests sent to it, and its watched resources.
 * 2. A resource is watched once per client, however often it subscribes.
 */
import { legacyVersions, type LogLevel, logLevels } from '../era.ts';
import { isJsonObject, type JsonObject, type RequestId, rpcCodes, rpcError } from '../message.ts';
import { ClientRequests } from './client-requests.ts';
import type { RequestRegistry } from './request-registry.ts';
import type { ConnectedClient, ClientRequest } from './handler.ts';
import { type RunningRequests, isWanted } from './running-request.ts';

/** Maximum number of resources one client may watch. */
export const maxWatchedResources = 1000;

/** Notifications that need not be repeated while an earlier one has not been delivered. */
export const listChanges: ReadonlySet<string> = new Set([
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
]);

export interface LegacyClientOptions {
  readonly id: string;
  readonly principal: string | undefined;
  /** Read at each request. */
  readonly access?: () => unknown;
  /** Makes the ids of requests to the client unique among processes. */
  readonly questionPrefix?: string;
  readonly transport: 'stdio' | 'http';
  /** The first minimum level of log messages. @default 'info' */
  readonly level?: LogLevel | 'none';
  /** Sends a message outside of any request; returns `false` if it cannot be delivered now. */
  readonly send: (text: string) => boolean;
}

interface Watch {
  /** `undefined` until the handler has answered. */
  stop: (() => void) | undefined;
}

export class LegacyClient {
  readonly client: ConnectedClient;
  readonly running: RunningRequests = new Map();
  readonly clientRequests: ClientRequests;
  readonly #registry: RequestRegistry;
  readonly #send: (text: string) => boolean;
  readonly #watches = new Map<string, Watch>();
  #level: LogLevel | undefined;
  #isEnded = false;

  constructor(registry: RequestRegistry, params: JsonObject, options: LegacyClientOptions) {
    this.#registry = registry;
    this.#send = options.send;
    this.clientRequests = new ClientRequests(options.questionPrefix);
    const access = options.access ?? ((): unknown => undefined);
    this.client = {
      id: options.id,
      era: 'legacy',
      protocolVersion: agreedVersion(params['protocolVersion']),
      info: isJsonObject(params['clientInfo']) ? params['clientInfo'] : undefined,
      capabilities: isJsonObject(params['capabilities']) ? params['capabilities'] : {},
      principal: options.principal,
      get access() {
        return access();
      },
      transport: options.transport,
      ask: (method, asked, signal) => this.#askOutsideRequest(method, asked, signal),
    };
    this.#level = options.level === 'none' ? undefined : (options.level ?? 'info');
    registry.addLevel(this.#level);
  }

  get level(): LogLevel | undefined {
    return this.#level;
  }

  /** Whether a published notification is for this client. `isDirected`: the publisher has chosen its clients. */
  wants(method: string, params: JsonObject, isDirected: boolean): boolean {
    if (method === 'notifications/resources/updated') return this.#watches.has(params['uri'] as string);
    if (method === 'notifications/message') return isWanted(params['level'], this.#level);
    // Only the client that was asked may learn that its question was answered.
    return listChanges.has(method) || (isDirected && method === 'notifications/elicitation/complete');
  }

  async initializeResult(): Promise<JsonObject> {
    const { serverInfo, capabilities, instructions } = await this.#registry.handler.describe(this.client);
    return {
      protocolVersion: this.client.protocolVersion,
      capabilities: knownCapabilities(this.#registry, capabilities),
      serverInfo,
      ...(instructions === undefined ? {} : { instructions }),
    };
  }

  /** Handles the methods of the transport itself; passes all others to the handler. */
  async perform(request: ClientRequest): Promise<JsonObject> {
    switch (request.method) {
      case 'ping':
        return {};
      case 'logging/setLevel':
        return this.#setLevel(request.params['level']);
      case 'resources/subscribe':
        return await this.#watch(request.params['uri']);
      case 'resources/unsubscribe':
        return this.#unwatch(request.params['uri']);
      case 'initialize':
      case 'server/discover':
      case 'subscriptions/listen':
        throw rpcError(rpcCodes.methodNotFound, `Method not found: ${request.method}`);
      default:
        return legacyResult(await this.#registry.handler.handle(request));
    }
  }

  handleNotification(method: string, params: JsonObject): void {
    if (method === 'notifications/cancelled') this.running.get(params['requestId'] as RequestId)?.cancel(reasonOf(params));
    else if (method !== 'notifications/initialized')
      this.#registry.notifyHandler((handler) => handler.notified?.(method, params, this.client));
  }

  end(reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const request of this.running.values()) request.cancel(reason);
    this.clientRequests.end();
    for (const watch of this.#watches.values()) this.#registry.notifyHandler(() => watch.stop?.());
    this.#watches.clear();
    this.#registry.removeLevel(this.#level);
    this.#registry.notifyHandler((handler) => handler.clientGone?.(this.client));
  }

  #askOutsideRequest(method: string, params: JsonObject, signal: AbortSignal | undefined): Promise<JsonObject> {
    let isSent = true;
    const sendText = (text: string): void => {
      isSent = this.#send(text);
    };
    const undelivered = new AbortController();
    const answer = this.clientRequests.ask(
      sendText,
      method,
      params,
      signal === undefined ? [undelivered.signal] : [undelivered.signal, signal],
    );
    if (!isSent) undelivered.abort(rpcError(rpcCodes.methodNotFound, `The client has no open stream; ${method} cannot be sent to it`));
    return answer;
  }

  #setLevel(level: unknown): JsonObject {
    if (!logLevels.includes(level as LogLevel)) throw rpcError(rpcCodes.invalidParams, 'Invalid params: unknown log level');
    this.#registry.addLevel(level as LogLevel);
    this.#registry.removeLevel(this.#level);
    this.#level = level as LogLevel;
    return {};
  }

  async #watch(uri: unknown): Promise<JsonObject> {
    const { handler } = this.#registry;
    if (handler.watchResource === undefined) throw rpcError(rpcCodes.methodNotFound, 'Method not found: resources/subscribe');
    if (typeof uri !== 'string') throw rpcError(rpcCodes.invalidParams, 'Invalid params: uri is not a string');
    if (this.#watches.has(uri)) return {};
    if (this.#watches.size >= maxWatchedResources)
      throw rpcError(rpcCodes.invalidParams, `Invalid params: a client may watch at most ${maxWatchedResources} resources`);
    const watch: Watch = { stop: undefined };
    this.#watches.set(uri, watch);
    try {
      watch.stop = await handler.watchResource(uri, this.client);
    } catch (error) {
      if (this.#watches.get(uri) === watch) this.#watches.delete(uri);
      throw error;
    }
    if (this.#watches.get(uri) !== watch) watch.stop();
    return {};
  }

  #unwatch(uri: unknown): JsonObject {
    if (this.#registry.handler.watchResource === undefined)
      throw rpcError(rpcCodes.methodNotFound, 'Method not found: resources/unsubscribe');
    if (typeof uri !== 'string') throw rpcError(rpcCodes.invalidParams, 'Invalid params: uri is not a string');
    this.#watches.get(uri)?.stop?.();
    this.#watches.delete(uri);
    return {};
  }
}

export const agreedVersion = (asked: unknown): string =>
  legacyVersions.includes(asked as string) ? (asked as string) : (legacyVersions[0] as string);

export const reasonOf = (params: JsonObject): string =>
  typeof params['reason'] === 'string' ? params['reason'] : 'The client has cancelled the request';

/** Removes the capabilities of the handler that the transport cannot support. */
export function knownCapabilities({ handler }: RequestRegistry, capabilities: JsonObject): JsonObject {
  const resources = capabilities['resources'];
  if (!isJsonObject(resources) || handler.watchResource !== undefined) return capabilities;
  const { subscribe: _subscribe, ...others } = resources;
  return { ...capabilities, resources: others };
}

/** Removes `resultType`, which the legacy era does not have. */
function legacyResult(result: JsonObject): JsonObject {
  if (result['resultType'] !== 'complete') return result;
  const { resultType: _resultType, ...others } = result;
  return others;
}
