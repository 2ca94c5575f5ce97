/**
 * Owns the cancel signal of one call: that of the caller, and of the adapter, which ends a call when its tool throws what steers the framework.
 * Joining two platform signals (`AbortSignal.any`) costs more than the rest of an adapter.
 */
import type { CancelSignal } from '@holdfast/core';

export class CallSignal implements CancelSignal {
  readonly #caller: CancelSignal | undefined;
  readonly #listeners = new Set<() => void>();
  #own: { readonly reason: unknown } | undefined;

  constructor(caller: CancelSignal | undefined) {
    this.#caller = caller;
  }

  get aborted(): boolean {
    return this.#own !== undefined || this.#caller?.aborted === true;
  }

  get reason(): unknown {
    return this.#own ? this.#own.reason : this.#caller?.reason;
  }

  addEventListener(type: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
    this.#caller?.addEventListener(type, listener, { once: true });
  }

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
  throwIfCancelled(): void {
    if (this.#own) throw this.#own.reason;
  }
}
