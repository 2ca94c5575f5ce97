/**
 * Owns Restate's connections to a worker and their graceful shutdown: no new turn begins, running turns may end, and after the time limit connections are cut,
 * so that another worker continues.
 */
import type { Http2ServerRequest, ServerHttp2Session } from 'node:http2';
import { waitAtMost } from '@holdfast/core/internal/plain';

export class Connections {
  readonly #sessions = new Set<ServerHttp2Session>();
  #underWay = 0;
  #onIdle: (() => void) | undefined;
  #draining = false;

  /** Running requests: mostly turns. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Counts a request, and remembers its connection. */
  enter({ stream }: Http2ServerRequest): void {
    this.#underWay += 1;
    stream.once('close', () => this.#leave());
    const { session } = stream;
    if (session === undefined || this.#sessions.has(session as ServerHttp2Session)) return;
    this.#sessions.add(session as ServerHttp2Session);
    session.once('close', () => this.#sessions.delete(session as ServerHttp2Session));
    if (this.#draining) session.close();
  }

  /** Resolves to whether all requests ended within the limit. */
  async drain(limitMs: number): Promise<boolean> {
    this.#draining = true;
    // Tells Restate to start no further request here.
    for (const session of this.#sessions) session.close();
    const done = await this.#idle(limitMs);
    for (const session of this.#sessions) session.destroy();
    return done;
  }

  async #idle(limitMs: number): Promise<boolean> {
    if (this.#underWay === 0) return true;
    const idle = new Promise<boolean>((resolve) => {
      this.#onIdle = () => resolve(true);
    });
    return (await waitAtMost(globalThis, idle, limitMs)) ?? false;
  }

  #leave(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#onIdle?.();
  }
}
