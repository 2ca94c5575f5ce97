/**
 * Owns the order of changes: which items have changed since a cursor.
 *
 * Invariants
 * 1. A cursor of this process never misses a later change; an unknown cursor, such as one of another process, starts from the beginning.
 * 2. Bounded: only the latest change of each item is kept, and only the latest turns and removed tools.
 */
import { randomBytes } from 'node:crypto';

const maxTurns = 200;
const maxRemoved = 1_000;

export class Sequence {
  readonly #process = randomBytes(4).toString('hex');
  #latest = 0;
  /** Earlier removals are forgotten: older cursors start from the beginning. */
  #since = 0;
  readonly tools: Map<string, number> = new Map();
  readonly removed: Map<string, number> = new Map();
  /** The latest change last. */
  readonly turns: Map<string, number> = new Map();
  readonly #listeners = new Set<() => void>();
  #notifying: NodeJS.Immediate | undefined;

  get cursor(): string {
    return `${this.#process}-${this.#latest}`;
  }

  /** Returns `undefined` for a cursor that starts from the beginning. */
  placeOf(cursor: string): number | undefined {
    const [, process, place] = /^([0-9a-f]{8})-(\d{1,15})$/.exec(cursor) ?? [];
    if (process !== this.#process) return undefined;
    const number = Number(place);
    return number < this.#since || number > this.#latest ? undefined : number;
  }

  next(): number {
    this.#latest += 1;
    if (this.#listeners.size > 0) this.#notifying ??= setImmediate(() => this.#notify());
    return this.#latest;
  }

  touchTool(name: string): void {
    this.tools.set(name, this.next());
    this.removed.delete(name);
  }

  removeTool(name: string): void {
    this.tools.delete(name);
    this.removed.set(name, this.next());
    if (this.removed.size <= maxRemoved) return;
    const [oldest] = this.removed;
    if (!oldest) return;
    this.removed.delete(oldest[0]);
    this.#since = oldest[1];
  }

  touchTurn(turnId: string): void {
    this.turns.delete(turnId);
    this.turns.set(turnId, this.next());
    if (this.turns.size <= maxTurns) return;
    for (const oldest of this.turns.keys()) {
      this.turns.delete(oldest);
      return;
    }
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  stop(): void {
    if (this.#notifying) clearImmediate(this.#notifying);
    this.#listeners.clear();
  }

  #notify(): void {
    this.#notifying = undefined;
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch {
        // A failing listener must not affect the others.
      }
    }
  }
}
