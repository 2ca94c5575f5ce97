/**
 * Owns the open `subscriptions/listen` requests of a front.
 *
 * Invariants
 * 1. The acknowledgement is the first word of a stream; it says what will be told, and only that is told.
 * 2. Every word carries the id of the request that opened the stream.
 * 3. A listener that ends stops watching its resources, also when it ended while it was being opened.
 */
import { metaKeys } from '../era.ts';
import { isJsonObject, type JsonObject, type RequestId, rpcCodes, rpcError } from '../message.ts';
import type { RequestRegistry } from './request-registry.ts';
import type { FaceClient } from './handler.ts';
import { maxWatchedResources } from './legacy-client.ts';
import { completeResult, describeServer, metaOf } from './modern-requests.ts';
import { notificationText, resultText } from './serialize-message.ts';

/** Where the words of one listener go. */
export interface SubscriptionStream {
  sendAlways(text: string): void;
  /** Lost where the client does not read. */
  send(text: string): void;
  /** The last word, if there is one, and the end. */
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
  #isAcknowledged = false;
  #isEnded = false;

  constructor(id: RequestId, stream: SubscriptionStream) {
    this.#id = id;
    this.#stream = stream;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  async open(desk: RequestRegistry, client: FaceClient, params: JsonObject): Promise<void> {
    const filter = params['notifications'];
    if (!isJsonObject(filter)) throw rpcError(rpcCodes.invalidParams, 'Invalid params: notifications is no object');
    const { capabilities } = await describeServer(desk, client);
    const agreed: Record<string, unknown> = {};
    for (const [field, feature, method] of kinds) {
      const offered = capabilities[feature];
      if (filter[field] !== true || !isJsonObject(offered) || offered['listChanged'] !== true) continue;
      agreed[field] = true;
      this.#methods.add(method);
    }
    const uris = await this.#watch(desk, client, filter['resourceSubscriptions']);
    if (uris !== undefined) agreed['resourceSubscriptions'] = uris;
    if (this.#isEnded) return;
    this.#isAcknowledged = true;
    this.#stream.sendAlways(this.#text('notifications/subscriptions/acknowledged', { notifications: agreed }));
  }

  async #watch({ face }: RequestRegistry, client: FaceClient, asked: unknown): Promise<readonly string[] | undefined> {
    if (asked === undefined || face.watchResource === undefined) return undefined;
    if (!Array.isArray(asked) || !asked.every((uri) => typeof uri === 'string'))
      throw rpcError(rpcCodes.invalidParams, 'Invalid params: resourceSubscriptions is no list of texts');
    const uris = [...new Set<string>(asked)];
    if (uris.length > maxWatchedResources)
      throw rpcError(rpcCodes.invalidParams, `Invalid params: more than ${maxWatchedResources} resources`);
    const watched = await Promise.all(uris.map((uri) => this.#watchOne(face, client, uri)));
    return uris.filter((_uri, index) => watched[index]);
  }

  async #watchOne(face: RequestRegistry['face'], client: FaceClient, uri: string): Promise<boolean> {
    try {
      const stop = await face.watchResource?.(uri, client);
      if (stop === undefined) return false;
      if (this.#isEnded) stop();
      else this.#watches.set(uri, stop);
      return true;
    } catch {
      return false;
    }
  }

  publish(method: string, params: JsonObject): void {
    const isHeard = method === 'notifications/resources/updated' ? this.#watches.has(params['uri'] as string) : this.#methods.has(method);
    if (isHeard && this.#isAcknowledged && !this.#isEnded) this.#stream.send(this.#text(method, params));
  }

  #text(method: string, params: JsonObject): string {
    return notificationText(method, { ...params, _meta: { ...metaOf(params), [metaKeys.subscriptionId]: this.#id } });
  }

  /** The client has ended it. */
  drop(desk: RequestRegistry): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const stop of this.#watches.values()) desk.notifyHandler(() => stop());
    this.#watches.clear();
  }

  /** The server ends it, in the graceful way. */
  finish(desk: RequestRegistry): void {
    if (this.#isEnded) return;
    this.drop(desk);
    this.#stream.end(
      resultText(this.#id, completeResult(desk, 'subscriptions/listen', { _meta: { [metaKeys.subscriptionId]: this.#id } })),
    );
  }
}
