/**
 * Owns the order of changes: which things have changed since a cursor.
 *
 * Invariants
 * 1. A cursor of this process never misses a thing that has changed since; one of another process, or of nobody, starts anew.
 * 2. Bounded: of each thing only its latest change is known, of turns and removed tools only the latest.
 */
import { randomBytes } from 'node:crypto';

const mostTurns = 200;
const mostRemoved = 1_000;

export class Sequence {
  readonly #process = randomBytes(4).toString('hex');
  #latest = 0;
  /** What was removed before is forgotten: older cursors start anew. */
  #since = 0;
  readonly tools: Map<string, number> = new Map();
  readonly removed: Map<string, number> = new Map();
  /** Changed last comes last. */
  readonly turns: Map<string, number> = new Map();
  readonly #listeners = new Set<() => void>();
  #telling: NodeJS.Immediate | undefined;

  get cursor(): string {
    return `${this.#process}-${this.#latest}`;
  }

  /** `undefined`: it starts anew. */
  placeOf(cursor: string): number | undefined {
    const [, process, place] = /^([0-9a-f]{8})-(\d{1,15})$/.exec(cursor) ?? [];
    if (process !== this.#process) return undefined;
    const number = Number(place);
    return number < this.#since || number > this.#latest ? undefined : number;
  }

  next(): number {
    this.#latest += 1;
    if (this.#listeners.size > 0) this.#telling ??= setImmediate(() => this.#tell());
    return this.#latest;
  }

  touchTool(name: string): void {
    this.tools.set(name, this.next());
    this.removed.delete(name);
  }

  removeTool(name: string): void {
    this.tools.delete(name);
    this.removed.set(name, this.next());
    if (this.removed.size <= mostRemoved) return;
    const [oldest] = this.removed;
    if (!oldest) return;
    this.removed.delete(oldest[0]);
    this.#since = oldest[1];
  }

  touchTurn(turnId: string): void {
    this.turns.delete(turnId);
    this.turns.set(turnId, this.next());
    if (this.turns.size <= mostTurns) return;
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
    if (this.#telling) clearImmediate(this.#telling);
    this.#listeners.clear();
  }

  #tell(): void {
    this.#telling = undefined;
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch {
        // A listener that fails costs nothing but itself.
      }
    }
  }
}
