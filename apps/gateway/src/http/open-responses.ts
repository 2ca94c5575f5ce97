/**
 * Owns the open responses of each client: how many there may be, and ending those of a client that has lost its access.
 *
 * Invariant: one client cannot take all connections.
 */
import type { ServerResponse } from 'node:http';
import { FairShare } from '@holdfast/mcp-wire/server';

export class OpenResponses {
  readonly #share: FairShare;
  readonly #open = new Map<string, Set<ServerResponse>>();

  constructor(connections: number) {
    this.#share = new FairShare(connections);
  }

  /** Whether the client may have another open response. Clients without a name are not counted. */
  add(principal: string | undefined, response: ServerResponse): boolean {
    if (principal === undefined) return true;
    if (!this.#share.admits(principal)) return false;
    const ofClient = this.#open.get(principal) ?? new Set();
    this.#open.set(principal, ofClient);
    ofClient.add(response);
    this.#share.take(principal);
    response.on('close', () => {
      if (!ofClient.delete(response)) return;
      this.#share.release(principal);
      if (ofClient.size === 0) this.#open.delete(principal);
    });
    return true;
  }

  end(isConcerned: (principal: string) => boolean): void {
    for (const [principal, responses] of this.#open) if (isConcerned(principal)) for (const response of responses) response.destroy();
  }
}
