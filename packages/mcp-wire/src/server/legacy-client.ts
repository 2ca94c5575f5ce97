/**
 * Owns what is the front's own in the legacy era, whatever the transport: the greeting, and the state of a client between its requests.
 *
 * Invariants
 * 1. When a client ends, everything of it ends: requests, questions, watched resources.
 * 2. A resource is watched once for a client, however often it asks.
 */
import { legacyVersions, type LogLevel, logLevels } from '../era.ts';
import { isJsonObject, type JsonObject, type RequestId, rpcCodes, rpcError } from '../message.ts';
import { ClientRequests } from './client-requests.ts';
import type { RequestRegistry } from './request-registry.ts';
import type { FaceClient, FaceRequest } from './handler.ts';
import { type RunningRequests, isWanted } from './running-request.ts';

/** More watched resources of one client than this are refused. */
export const maxWatchedResources = 1000;

/** Who has been told once of these need not be told again before it has looked. */
export const listChanges: ReadonlySet<string> = new Set([
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
]);

export interface LegacyClientOptions {
  readonly id: string;
  readonly principal: string | undefined;
  readonly transport: 'stdio' | 'http';
  /** Where words outside of requests go; `false`: nowhere now. */
  readonly send: (text: string) => boolean;
}

interface Watch {
  /** `undefined` while the face has not answered. */
  stop: (() => void) | undefined;
}

export class LegacyClient {
  readonly client: FaceClient;
  readonly running: RunningRequests = new Map();
  readonly clientRequests: ClientRequests = new ClientRequests();
  readonly #desk: RequestRegistry;
  readonly #say: (text: string) => boolean;
  readonly #watches = new Map<string, Watch>();
  #level: LogLevel = 'info';
  #isEnded = false;

  constructor(desk: RequestRegistry, params: JsonObject, options: LegacyClientOptions) {
    this.#desk = desk;
    this.#say = options.send;
    this.client = {
      id: options.id,
      era: 'legacy',
      protocolVersion: agreedVersion(params['protocolVersion']),
      info: isJsonObject(params['clientInfo']) ? params['clientInfo'] : undefined,
      capabilities: isJsonObject(params['capabilities']) ? params['capabilities'] : {},
      principal: options.principal,
      transport: options.transport,
      ask: (method, asked, signal) => this.#askOutside(method, asked, signal),
    };
    desk.addLevel(this.#level);
  }

  get level(): LogLevel {
    return this.#level;
  }

  /** Whether a publication is for this client. */
  wants(method: string, params: JsonObject): boolean {
    if (method === 'notifications/resources/updated') return this.#watches.has(params['uri'] as string);
    if (method === 'notifications/message') return isWanted(params['level'], this.#level);
    return listChanges.has(method);
  }

  async initializeResult(): Promise<JsonObject> {
    const { serverInfo, capabilities, instructions } = await this.#desk.face.describe(this.client);
    return {
      protocolVersion: this.client.protocolVersion,
      capabilities: knownCapabilities(this.#desk, capabilities),
      serverInfo,
      ...(instructions === undefined ? {} : { instructions }),
    };
  }

  /** The methods of the front, and of the face. */
  async perform(request: FaceRequest): Promise<JsonObject> {
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
        return legacyResult(await this.#desk.face.handle(request));
    }
  }

  handleNotification(method: string, params: JsonObject): void {
    if (method === 'notifications/cancelled') this.running.get(params['requestId'] as RequestId)?.cancel(reasonOf(params));
    else if (method !== 'notifications/initialized') this.#desk.notifyHandler((face) => face.notified?.(method, params, this.client));
  }

  end(reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const request of this.running.values()) request.cancel(reason);
    this.clientRequests.end();
    for (const watch of this.#watches.values()) this.#desk.notifyHandler(() => watch.stop?.());
    this.#watches.clear();
    this.#desk.removeLevel(this.#level);
    this.#desk.notifyHandler((face) => face.clientGone?.(this.client));
  }

  #askOutside(method: string, params: JsonObject, signal: AbortSignal | undefined): Promise<JsonObject> {
    let isHeard = true;
    const sendText = (text: string): void => {
      isHeard = this.#say(text);
    };
    const unheard = new AbortController();
    const answer = this.clientRequests.ask(sendText, method, params, signal === undefined ? [unheard.signal] : [unheard.signal, signal]);
    if (!isHeard) unheard.abort(rpcError(rpcCodes.methodNotFound, `No stream leads to the client: it cannot be asked for ${method}`));
    return answer;
  }

  #setLevel(level: unknown): JsonObject {
    if (!logLevels.includes(level as LogLevel)) throw rpcError(rpcCodes.invalidParams, 'Invalid params: unknown log level');
    this.#desk.addLevel(level as LogLevel);
    this.#desk.removeLevel(this.#level);
    this.#level = level as LogLevel;
    return {};
  }

  async #watch(uri: unknown): Promise<JsonObject> {
    const { face } = this.#desk;
    if (face.watchResource === undefined) throw rpcError(rpcCodes.methodNotFound, 'Method not found: resources/subscribe');
    if (typeof uri !== 'string') throw rpcError(rpcCodes.invalidParams, 'Invalid params: uri is no text');
    if (this.#watches.has(uri)) return {};
    if (this.#watches.size >= maxWatchedResources)
      throw rpcError(rpcCodes.invalidParams, `Invalid params: more than ${maxWatchedResources} resources are watched`);
    const watch: Watch = { stop: undefined };
    this.#watches.set(uri, watch);
    try {
      watch.stop = await face.watchResource(uri, this.client);
    } catch (error) {
      if (this.#watches.get(uri) === watch) this.#watches.delete(uri);
      throw error;
    }
    if (this.#watches.get(uri) !== watch) watch.stop();
    return {};
  }

  #unwatch(uri: unknown): JsonObject {
    if (this.#desk.face.watchResource === undefined) throw rpcError(rpcCodes.methodNotFound, 'Method not found: resources/unsubscribe');
    if (typeof uri !== 'string') throw rpcError(rpcCodes.invalidParams, 'Invalid params: uri is no text');
    this.#watches.get(uri)?.stop?.();
    this.#watches.delete(uri);
    return {};
  }
}

const agreedVersion = (asked: unknown): string =>
  legacyVersions.includes(asked as string) ? (asked as string) : (legacyVersions[0] as string);

export const reasonOf = (params: JsonObject): string =>
  typeof params['reason'] === 'string' ? params['reason'] : 'The client has cancelled the request';

/** What a front can keep of what the face says. */
export function knownCapabilities({ face }: RequestRegistry, capabilities: JsonObject): JsonObject {
  const resources = capabilities['resources'];
  if (!isJsonObject(resources) || face.watchResource !== undefined) return capabilities;
  const { subscribe: _subscribe, ...others } = resources;
  return { ...capabilities, resources: others };
}

/** A legacy client knows no kinds of results. */
function legacyResult(result: JsonObject): JsonObject {
  if (result['resultType'] !== 'complete') return result;
  const { resultType: _resultType, ...others } = result;
  return others;
}
