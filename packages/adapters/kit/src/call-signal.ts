/**
 * Owns the cancel signal of one call: that of the caller, and of the adapter, which ends a call when its tool throws what steers the framework.
 * Joining two platform signals (`AbortSignal.any`) costs more than the rest of an adapter, and a listener at one as much as a part of it.
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
  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
    if (this.#caller) listen(this.#caller, listener);
  }

  /** Removes a listener that `addEventListener` added. */
  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
    if (this.#caller) unlisten(this.#caller, listener);
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

  /** Throws the reason of the cancellation, if there is one. */
  throwIfCancelled(): void {
    if (this.#own) throw this.#own.reason;
  }
}

/** The listeners of all calls that one caller can cancel, behind one listener at its signal. */
interface Shared {
  readonly listeners: Set<() => void>;
  readonly fire: () => void;
}

const shared = new WeakMap<CancelSignal, Shared>();

function listen(caller: CancelSignal, listener: () => void): void {
  const known = shared.get(caller);
  if (known) {
    known.listeners.add(listener);
    return;
  }
  const listeners = new Set([listener]);
  const fire = (): void => {
    // What is added meanwhile comes too late, and what is removed meanwhile is not called.
    const due = [...listeners];
    for (const each of due) if (listeners.delete(each)) each();
    shared.delete(caller);
  };
  caller.addEventListener('abort', fire, { once: true });
  if (listeners.size > 0) shared.set(caller, { listeners, fire });
}

function unlisten(caller: CancelSignal, listener: () => void): void {
  const known = shared.get(caller);
  if (!known?.listeners.delete(listener) || known.listeners.size > 0) return;
  shared.delete(caller);
  caller.removeEventListener('abort', known.fire);
}
