/**
 * Owns which of the client's own requests a request of a legacy server belongs to. Over HTTP, its stream shows it; over stdio, nothing does.
 */
import type { RequestId } from '../message.ts';
import type { PendingRequest, PendingRequests } from './pending-requests.ts';

/** Several requests of a server for one client request are sent within this time. */
const burstMs = 50;

export class RequestMatcher {
  readonly #requests: PendingRequests;
  #last: PendingRequest | undefined;
  #lastAt = 0;

  constructor(requests: PendingRequests) {
    this.#requests = requests;
  }

  /** Without a stream: the only request without an open server request, else the owner of the previous server request. */
  ownerOf(streamOf: number | undefined): PendingRequest | undefined {
    const owner = streamOf === undefined ? undefined : this.#requests.get(streamOf);
    if (owner?.options.onRequest !== undefined) return owner;
    if (this.#requests.areOfSeveral()) return undefined;
    const hasListener = ({ options }: PendingRequest): boolean => options.onRequest !== undefined;
    const isFree = (each: PendingRequest): boolean => hasListener(each) && each.serverRequestIds.length === 0;
    return (
      this.#requests.findOnly(isFree) ??
      this.#requests.findOnly(hasListener) ??
      (this.#requests.some(isFree) ? undefined : this.#recentOwner())
    );
  }

  add(owner: PendingRequest, id: RequestId): void {
    owner.serverRequestIds = [...owner.serverRequestIds, id];
    this.#last = owner;
    this.#lastAt = performance.now();
  }

  remove(owner: PendingRequest, id: RequestId): void {
    owner.serverRequestIds = owner.serverRequestIds.filter((each) => each !== id);
  }

  #recentOwner(): PendingRequest | undefined {
    return this.#last !== undefined && performance.now() - this.#lastAt < burstMs ? this.#requests.get(this.#last.id) : undefined;
  }
}
