/**
 * Owns which clients have no login of their own at a server, for operators.
 *
 * Invariant: nothing waits for the store. An answer is at most as old as the request before it, or a few seconds.
 */
import type { McpServerEntry } from '@holdfast/manifest';

export interface MissingLoginsOptions {
  readonly servers: () => readonly (readonly [name: string, entry: McpServerEntry])[];
  readonly missing: (name: string, entry: McpServerEntry) => Promise<readonly string[]>;
}

const freshMs = 5_000;

export class MissingLogins {
  readonly #options: MissingLoginsOptions;
  #known: ReadonlyMap<string, readonly string[]> = new Map();
  #isLooking = false;
  #lookedAt = -Infinity;

  constructor(options: MissingLoginsOptions) {
    this.#options = options;
  }

  /** The names of the clients, as far as is known. */
  at(server: string): readonly string[] {
    if (performance.now() - this.#lookedAt > freshMs) this.look();
    return this.#known.get(server) ?? [];
  }

  /** Looks now. */
  look(): void {
    this.#lookedAt = performance.now();
    if (!this.#isLooking) void this.#read();
  }

  async #read(): Promise<void> {
    const { servers, missing } = this.#options;
    this.#isLooking = true;
    // A store that cannot be read says so elsewhere: here, nothing is known.
    const all = servers().map(async ([name, entry]) => [name, await missing(name, entry).catch(() => [])] as const);
    this.#known = new Map((await Promise.all(all)).filter(([, clients]) => clients.length > 0));
    this.#isLooking = false;
  }
}
