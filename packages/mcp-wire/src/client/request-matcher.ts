/**
 * Owns which of the client's own requests a request of a legacy server belongs to. Over HTTP its stream tells; over stdio nothing does.
 */
import type { RequestId } from '../message.ts';
import type { PendingRequest, PendingRequests } from './pending-requests.ts';

/** Servers that send several requests for one of ours send them this close together. */
const burstMs = 50;

export class RequestMatcher {
  readonly #requests: PendingRequests;
  #last: PendingRequest | undefined;
  #lastAt = 0;

  constructor(requests: PendingRequests) {
    this.#requests = requests;
  }

  /** Without a stream: the only request that has no server request open; else the owner of the server request just before. */
  ownerOf(streamOf: number | undefined): PendingRequest | undefined {
    const owner = streamOf === undefined ? undefined : this.#requests.get(streamOf);
    if (owner?.options.onRequest !== undefined) return owner;
    const listens = ({ options }: PendingRequest): boolean => options.onRequest !== undefined;
    const isFree = (each: PendingRequest): boolean => listens(each) && each.serverRequestIds.length === 0;
    return this.#requests.only(isFree) ?? this.#requests.only(listens) ?? (this.#requests.some(isFree) ? undefined : this.#recentOwner());
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
