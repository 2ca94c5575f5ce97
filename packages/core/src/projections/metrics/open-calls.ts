/**
 * Owns the state of calls that wait, retry or use an alternative, until they are answered. Other calls need none.
 *
 * Invariant: bounded; the oldest call is evicted first.
 */
import type { AdmissionWaiting } from '../../engine/trace/events.ts';
import type { ToolSeries } from './series-sets.ts';

export interface OpenCall {
  retries: number;
  /** The alternative that is being tried. */
  alternative: string | undefined;
  waiting: { readonly tool: ToolSeries; readonly wait: AdmissionWaiting['wait']; readonly since: number } | undefined;
}

interface CallIds {
  readonly turn_id: string;
  readonly call_id: string;
}

export class OpenCalls {
  readonly #calls = new Map<string, OpenCall>();
  readonly #limit: number;
  readonly #onEvicted: () => void;

  constructor(limit: number, onEvicted: () => void) {
    this.#limit = limit;
    this.#onEvicted = onEvicted;
  }

  find(event: CallIds): OpenCall | undefined {
    return this.#calls.size === 0 ? undefined : this.#calls.get(keyOf(event));
  }

  open(event: CallIds): OpenCall {
    const key = keyOf(event);
    const known = this.#calls.get(key);
    if (known) return known;
    const [oldest] = this.#calls.size >= this.#limit ? this.#calls.keys() : [];
    if (oldest !== undefined) {
      this.#calls.delete(oldest);
      this.#onEvicted();
    }
    const call: OpenCall = { retries: 0, alternative: undefined, waiting: undefined };
    this.#calls.set(key, call);
    return call;
  }

  close(event: CallIds): void {
    if (this.#calls.size > 0) this.#calls.delete(keyOf(event));
  }
}

const keyOf = ({ turn_id, call_id }: CallIds): string => `${turn_id}\u0000${call_id}`;
