/** Owns cancel sources: based on the platform's `AbortController` where there is one, otherwise on a minimal signal of its own. */
import type { CancelSignal, Signal } from '../../engine/ports/signal.ts';
import type { CancelSource } from '../../engine/ports/system.ts';

interface Controller {
  readonly signal: unknown;
  abort(reason: unknown): void;
}

/** How the platform makes abort controllers. */
export type ControllerConstructor = new () => Controller;

/** The controller is created when the signal is first read: most tools never do. */
export class LazyCancelSource implements CancelSource {
  readonly #Controller: ControllerConstructor | undefined;
  #controller: Controller | undefined;
  #aborted: (() => unknown) | undefined;

  constructor(Controller: ControllerConstructor | undefined) {
    this.#Controller = Controller;
  }

  get signal(): Signal {
    if (!this.#controller) {
      this.#controller = this.#Controller ? new this.#Controller() : createOwnController();
      if (this.#aborted) this.#controller.abort(this.#aborted());
    }
    return this.#controller.signal as Signal;
  }

  get aborted(): boolean {
    return this.#aborted !== undefined;
  }

  abort(makeReason: () => unknown): void {
    if (this.#aborted) return;
    this.#aborted = makeReason;
    // An error of the tool's listener is the tool's problem.
    try {
      this.#controller?.abort(makeReason());
    } catch {
      return;
    }
  }
}

function createOwnController(): Controller {
  const listeners = new Set<() => void>();
  const state: { aborted: boolean; reason: unknown } = { aborted: false, reason: undefined };
  const signal: CancelSignal & { throwIfAborted(): void } = {
    get aborted() {
      return state.aborted;
    },
    get reason() {
      return state.reason;
    },
    addEventListener(_type, listener) {
      listeners.add(listener);
    },
    removeEventListener(_type, listener) {
      listeners.delete(listener);
    },
    throwIfAborted() {
      if (state.aborted) throw state.reason;
    },
  };
  return {
    signal,
    abort(reason) {
      state.aborted = true;
      state.reason = reason;
      const waiting = [...listeners];
      listeners.clear();
      for (const listener of waiting) callSafely(listener);
    },
  };
}

/** A listener that throws does not prevent the others from being called. */
function callSafely(listener: () => void): void {
  try {
    listener();
  } catch {
    return;
  }
}
