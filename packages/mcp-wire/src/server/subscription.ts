/**
 * Owns the open `subscriptions/listen` requests of a transport.
 *
 * Invariants
 * 1. The acknowledgement is the first message of a stream; it lists the notifications that will be sent, and no others are.
 * 2. Every message carries the id of the request that opened the stream.
 * 3. A subscription that ends stops watching its resources, even if it ended while it was being opened.
 */
import { metaKeys } from '../era.ts';
import { isJsonObject, type JsonObject, type RequestId, rpcCodes, rpcError } from '../message.ts';
import type { RequestRegistry } from './request-registry.ts';
import type { ConnectedClient } from './handler.ts';
import { maxWatchedResources } from './legacy-client.ts';
import { completeResult, describeServer, metaOf } from './modern-requests.ts';
import { notificationText, resultText } from './serialize-message.ts';

/** Receives the messages of one subscription. */
export interface SubscriptionStream {
  sendAlways(text: string): void;
  /** Dropped if the client does not read. */
  send(text: string): void;
  /** Sends the last message, if there is one, and ends the stream. */
  end(text?: string): void;
}

const kinds = [
  ['toolsListChanged', 'tools', 'notifications/tools/list_changed'],
  ['promptsListChanged', 'prompts', 'notifications/prompts/list_changed'],
  ['resourcesListChanged', 'resources', 'notifications/resources/list_changed'],
] as const;

export class Subscription {
  readonly #id: RequestId;
  readonly #stream: SubscriptionStream;
  readonly #methods = new Set<string>();
  readonly #watches = new Map<string, () => void>();
  #client: ConnectedClient | undefined;
  #isAcknowledged = false;
  #isEnded = false;

  constructor(id: RequestId, stream: SubscriptionStream) {
    this.#id = id;
    this.#stream = stream;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  async open(registry: RequestRegistry, client: ConnectedClient, params: JsonObject): Promise<void> {
    this.#client = client;
    const filter = params['notifications'];
    if (!isJsonObject(filter)) throw rpcError(rpcCodes.invalidParams, 'Invalid params: notifications is not an object');
    const { capabilities } = await describeServer(registry, client);
    const agreed: Record<string, unknown> = {};
    for (const [field, feature, method] of kinds) {
      const offered = capabilities[feature];
      if (filter[field] !== true || !isJsonObject(offered) || offered['listChanged'] !== true) continue;
      agreed[field] = true;
      this.#methods.add(method);
    }
    const uris = await this.#watch(registry, client, filter['resourceSubscriptions']);
    if (uris !== undefined) agreed['resourceSubscriptions'] = uris;
    if (this.#isEnded) return;
    this.#isAcknowledged = true;
    this.#stream.sendAlways(this.#text('notifications/subscriptions/acknowledged', { notifications: agreed }));
  }

  async #watch({ handler }: RequestRegistry, client: ConnectedClient, asked: unknown): Promise<readonly string[] | undefined> {
    if (asked === undefined || handler.watchResource === undefined) return undefined;
    if (!Array.isArray(asked) || !asked.every((uri) => typeof uri === 'string'))
      throw rpcError(rpcCodes.invalidParams, 'Invalid params: resourceSubscriptions is not an array of strings');
    const uris = [...new Set<string>(asked)];
    if (uris.length > maxWatchedResources)
      throw rpcError(rpcCodes.invalidParams, `Invalid params: at most ${maxWatchedResources} resources may be watched`);
    const watched = await Promise.all(uris.map((uri) => this.#watchOne(handler, client, uri)));
    return uris.filter((_uri, index) => watched[index]);
  }

  async #watchOne(handler: RequestRegistry['handler'], client: ConnectedClient, uri: string): Promise<boolean> {
    try {
      const stop = await handler.watchResource?.(uri, client);
      if (stop === undefined) return false;
      if (this.#isEnded) stop();
      else this.#watches.set(uri, stop);
      return true;
    } catch {
      return false;
    }
  }

  publish(method: string, params: JsonObject, isFor?: (client: ConnectedClient) => boolean): void {
    if (isFor !== undefined && (this.#client === undefined || !isFor(this.#client))) return;
    const isRequested =
      method === 'notifications/resources/updated' ? this.#watches.has(params['uri'] as string) : this.#methods.has(method);
    if (isRequested && this.#isAcknowledged && !this.#isEnded) this.#stream.send(this.#text(method, params));
  }

  #text(method: string, params: JsonObject): string {
    return notificationText(method, { ...params, _meta: { ...metaOf(params), [metaKeys.subscriptionId]: this.#id } });
  }

  /** Ends the subscription without a last message. */
  drop(registry: RequestRegistry): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const stop of this.#watches.values()) registry.notifyHandler(() => stop());
    this.#watches.clear();
  }

  /** Ends the subscription with its result, when the server closes. */
  finish(registry: RequestRegistry): void {
    if (this.#isEnded) return;
    this.drop(registry);
    this.#stream.end(
      resultText(this.#id, completeResult(registry, 'subscriptions/listen', { _meta: { [metaKeys.subscriptionId]: this.#id } })),
    );
  }
}
