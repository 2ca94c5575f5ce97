/**
 * Owns when a retired connection is closed: as soon as no work uses it.
 */
import type { Connection } from './connection.ts';

export class ConnectionUsers {
  readonly #users = new WeakMap<Connection, number>();
  readonly #retired = new Set<Connection>();
  readonly #endings = new Set<Promise<void>>();

  /** Runs work over a connection and keeps it open until the work ends, even if it is retired. */
  async using<Output>(connection: Connection, work: () => Promise<Output>): Promise<Output> {
    this.#users.set(connection, (this.#users.get(connection) ?? 0) + 1);
    try {
      return await work();
    } finally {
      this.#users.set(connection, (this.#users.get(connection) ?? 1) - 1);
      this.#closeUnused(connection);
    }
  }

  retire(connection: Connection): void {
    this.#retired.add(connection);
    this.#closeUnused(connection);
  }

  /** Resolves when the closing connections are closed. */
  async whenSettled(): Promise<void> {
    await Promise.allSettled(this.#endings);
  }

  #closeUnused(connection: Connection): void {
    if ((this.#users.get(connection) ?? 0) > 0 || !this.#retired.delete(connection)) return;
    const ending = connection.peer.close().finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }
}
