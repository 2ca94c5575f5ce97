/**
 * Owns the events of a legacy session that a client can ask for again.
 *
 * Invariants
 * 1. Never holds more bytes than the session, and all sessions together, are allowed: the oldest go first.
 * 2. An event belongs to one stream, and is told on this stream only.
 */

interface KeptEvent {
  readonly stream: number;
  readonly number: number;
  readonly text: string;
  readonly keptAtMs: number;
}

/** What all sessions of a front hold together. */
export interface ReplayTotal {
  bytes: number;
  readonly limit: number;
}

const keepMs = 300_000;

export class ReplayBuffer {
  readonly #limit: number;
  readonly #total: ReplayTotal;
  #events: KeptEvent[] = [];
  #bytes = 0;

  constructor(limit: number, total: ReplayTotal) {
    this.#limit = limit;
    this.#total = total;
  }

  keep(stream: number, number: number, text: string, nowMs: number): void {
    if (text.length > this.#limit) return;
    this.#events.push({ stream, number, text, keptAtMs: nowMs });
    this.#count(text.length);
    while (this.#bytes > this.#limit || (this.#total.bytes > this.#total.limit && this.#events.length > 0)) this.#forgetOldest();
  }

  after(stream: number, number: number): readonly KeptEvent[] {
    return this.#events.filter((event) => event.stream === stream && event.number > number);
  }

  has(stream: number): boolean {
    return this.#events.some((event) => event.stream === stream);
  }

  forgetOld(nowMs: number): void {
    while (nowMs - (this.#events[0]?.keptAtMs ?? nowMs) > keepMs) this.#forgetOldest();
  }

  clear(): void {
    this.#count(-this.#bytes);
    this.#events = [];
  }

  #forgetOldest(): void {
    this.#count(-(this.#events.shift()?.text.length ?? 0));
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#total.bytes += bytes;
  }
}
