/**
 * Owns what must be remembered of a call until it is answered: only of calls that waited, were retried or went to an alternative.
 *
 * Invariant: bounded; the oldest is forgotten first.
 */
import type { AdmissionWaiting } from '../../engine/trace/events.ts';
import type { ToolSeries } from './series-sets.ts';

export interface OpenCall {
  retries: number;
  /** The alternative that is being tried. */
  alternative: string | undefined;
  waiting: { readonly tool: ToolSeries; readonly wait: AdmissionWaiting['wait']; readonly since: number } | undefined;
}

interface OfCall {
  readonly turn_id: string;
  readonly call_id: string;
}

export class OpenCalls {
  readonly #calls = new Map<string, OpenCall>();
  readonly #most: number;
  readonly #onForgotten: () => void;

  constructor(most: number, onForgotten: () => void) {
    this.#most = most;
    this.#onForgotten = onForgotten;
  }

  find(event: OfCall): OpenCall | undefined {
    return this.#calls.size === 0 ? undefined : this.#calls.get(keyOf(event));
  }

  open(event: OfCall): OpenCall {
    const key = keyOf(event);
    const known = this.#calls.get(key);
    if (known) return known;
    const [oldest] = this.#calls.size >= this.#most ? this.#calls.keys() : [];
    if (oldest !== undefined) {
      this.#calls.delete(oldest);
      this.#onForgotten();
    }
    const call: OpenCall = { retries: 0, alternative: undefined, waiting: undefined };
    this.#calls.set(key, call);
    return call;
  }

  close(event: OfCall): void {
    if (this.#calls.size > 0) this.#calls.delete(keyOf(event));
  }
}

const keyOf = ({ turn_id, call_id }: OfCall): string => `${turn_id}\u0000${call_id}`;
