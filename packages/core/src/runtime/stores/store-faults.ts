/**
 * Owns what is wrong with a store or a history now, and when its listener is called. Does not own which kinds of fault a database has.
 *
 * Invariants
 * 1. The listener is called once when a fault begins, once when its kind changes, once when it ends.
 * 2. Nothing here throws. What the listener throws is ignored.
 * 3. A closed store stays closed: after `closed` no other fault is raised, and the listener is not called.
 */
import type { StoreStatus } from '../../engine/ports/store.ts';

/** The status, and the kind of the fault; `kind` is absent while the store works. */
export interface StoreFault<Kind extends string> extends StoreStatus {
  /** What is wrong, in the words of the store. Absent while it works. */
  readonly kind?: Kind;
}

/** The status alone, for a listener that does not know the kinds. */
export function withoutFaultKind({ kind: _kind, ...status }: StoreFault<string>): StoreStatus {
  return status;
}

/** The fault state of a store: at most one fault at a time. */
export interface StoreFaults<Kind extends string> {
  /** Counted by the owner. */
  dropped: number;
  /** The current fault, or `undefined` while the store works. */
  readonly kind: Kind | undefined;
  /** Begins a fault, or changes its kind and text. */
  raise(kind: Kind, problem: string): void;
  /** Ends the fault; with `kinds`, only when it is one of these. */
  clear(...kinds: readonly Kind[]): void;
  /** Returns the status with the kind of the fault. */
  status(): StoreFault<Kind>;
}

/** Creates the fault state of one store, without a fault. */
export function createStoreFaults<Kind extends string>(onFault: ((fault: StoreFault<Kind>) => void) | undefined): StoreFaults<Kind> {
  let current: { readonly kind: Kind; readonly problem: string } | undefined;

  const report = (): void => {
    try {
      onFault?.(faults.status());
    } catch {
      // A listener that throws must not stop the store.
    }
  };

  const faults: StoreFaults<Kind> = {
    dropped: 0,
    get kind() {
      return current?.kind;
    },
    raise(kind, problem) {
      if (current?.kind === 'closed') return;
      const changed = current?.kind !== kind;
      current = { kind, problem };
      if (changed && kind !== 'closed') report();
    },
    clear(...kinds) {
      if (current === undefined || current.kind === 'closed') return;
      if (kinds.length > 0 && !kinds.includes(current.kind)) return;
      current = undefined;
      report();
    },
    status() {
      const { dropped } = faults;
      return current === undefined ? { ok: true, dropped } : { ok: false, dropped, ...current };
    },
  };
  return faults;
}
