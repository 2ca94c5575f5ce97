/**
 * Owns the cancel signal of one call: that of the caller, and of the adapter, which ends a call when its tool throws what steers the framework.
 * Joining two platform signals (`AbortSignal.any`) costs more than the rest of an adapter.
 */
import type { CancelSignal } from '@holdfast/core';

/** The cancel signal of one call: that of the caller, which the adapter can also cancel itself. */
export class CallSignal implements CancelSignal {
  readonly #caller: CancelSignal | undefined;
  readonly #listeners = new Set<() => void>();
  #own: { readonly reason: unknown } | undefined;

  constructor(caller: CancelSignal | undefined) {
    this.#caller = caller;
  }

  /** Whether the caller or the adapter has cancelled the call. */
  get aborted(): boolean {
    return this.#own !== undefined || this.#caller?.aborted === true;
  }

  /** The reason of whichever cancelled it; `undefined` before. */
  get reason(): unknown {
    return this.#own ? this.#own.reason : this.#caller?.reason;
  }

  /** Calls `listener` once when the call is cancelled. */
  addEventListener(type: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
    this.#caller?.addEventListener(type, listener, { once: true });
  }

  /** Removes a listener that `addEventListener` added. */
  removeEventListener(type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
    this.#caller?.removeEventListener(type, listener);
  }

  /** Cancels the call, if the caller has not. */
  cancel(reason: unknown): void {
    if (this.aborted) return;
    this.#own = { reason };
    for (const listener of this.#listeners) {
      this.removeEventListener('abort', listener);
      listener();
    }
  }

  /** @throws the reason with which the adapter has cancelled the call */
  /** Throws the reason of the cancellation, if there is one. */
  throwIfCancelled(): void {
    if (this.#own) throw this.#own.reason;
  }
}
