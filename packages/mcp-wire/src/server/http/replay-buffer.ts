/**
 * Owns the events of a legacy session that can be replayed to its client.
 *
 * Invariants
 * 1. Never holds more bytes than allowed per session, for all sessions together, and for those of one named principal, which is four fifths of the latter.
 *    The oldest events of the session are dropped first.
 * 2. An event belongs to one stream and is sent on that stream only.
 */

interface KeptEvent {
  readonly stream: number;
  readonly number: number;
  readonly text: string;
  readonly keptAtMs: number;
}

/** The bytes held by all sessions of a transport together. */
export class ReplayTotal {
  readonly #limit: number;
  readonly #parts = new Map<string | undefined, number>();
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get bytes(): number {
    return this.#bytes;
  }

  count(principal: string | undefined, bytes: number): void {
    const part = (this.#parts.get(principal) ?? 0) + bytes;
    this.#bytes += bytes;
    if (part === 0) this.#parts.delete(principal);
    else this.#parts.set(principal, part);
  }

  /** Whether sessions of this principal have to drop events. Callers without a name are one client: the limit is theirs. */
  isExceededFor(principal: string | undefined): boolean {
    if (this.#bytes > this.#limit) return true;
    return principal !== undefined && (this.#parts.get(principal) ?? 0) > 0.8 * this.#limit;
  }
}

const keepMs = 60_000;

export class ReplayBuffer {
  readonly #limit: number;
  readonly #total: ReplayTotal;
  readonly #principal: string | undefined;
  readonly #counts = new Map<number, number>();
  /** Oldest first, from `#first` on. */
  #events: KeptEvent[] = [];
  #first = 0;
  #bytes = 0;

  constructor(limit: number, total: ReplayTotal, principal?: string) {
    this.#limit = limit;
    this.#total = total;
    this.#principal = principal;
  }

  keep(stream: number, number: number, text: string, nowMs: number): void {
    if (text.length > this.#limit) return;
    this.#events.push({ stream, number, text, keptAtMs: nowMs });
    this.#counts.set(stream, (this.#counts.get(stream) ?? 0) + 1);
    this.#count(text.length);
    while (this.#bytes > this.#limit || (this.#bytes > 0 && this.#total.isExceededFor(this.#principal))) this.#forgetOldest();
  }

  after(stream: number, number: number): readonly KeptEvent[] {
    return this.#events.slice(this.#first).filter((event) => event.stream === stream && event.number > number);
  }

  holds(stream: number, number: number): boolean {
    return this.#events.some((event, index) => index >= this.#first && event.stream === stream && event.number === number);
  }

  has(stream: number): boolean {
    return this.#counts.has(stream);
  }

  forgetOld(nowMs: number): void {
    while (nowMs - (this.#events[this.#first]?.keptAtMs ?? nowMs) > keepMs) this.#forgetOldest();
  }

  clear(): void {
    this.#count(-this.#bytes);
    this.#counts.clear();
    this.#events = [];
    this.#first = 0;
  }

  #forgetOldest(): void {
    const event = this.#events[this.#first++] as KeptEvent;
    const left = (this.#counts.get(event.stream) ?? 1) - 1;
    if (left === 0) this.#counts.delete(event.stream);
    else this.#counts.set(event.stream, left);
    this.#count(-event.text.length);
    if (this.#first < compactAt || this.#first * 2 < this.#events.length) return;
    this.#events = this.#events.slice(this.#first);
    this.#first = 0;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#total.count(this.#principal, bytes);
  }
}

/** Number of dropped events after which the array is compacted. */
const compactAt = 100;
