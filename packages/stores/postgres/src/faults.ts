/**
 * Owns what is wrong with the store at the moment, and who is notified of it.
 *
 * 1. `onFault` is called once when a fault begins, once when its kind changes, once when it is over.
 * 2. Nothing here throws.
 */
import type { StoreFaultKind, PostgresFault } from './settings.ts';

export interface Faults {
  dropped: number;
  readonly kind: StoreFaultKind | undefined;
  raise(kind: StoreFaultKind, problem: string): void;
  /** Ends the fault; with `kinds`, only when it is one of these. */
  clear(...kinds: readonly StoreFaultKind[]): void;
  status(): PostgresFault;
}

export function createFaults(onFault: ((fault: PostgresFault) => void) | undefined): Faults {
  let current: { readonly kind: StoreFaultKind; readonly problem: string } | undefined;

  const report = (): void => {
    try {
      onFault?.(faults.status());
    } catch {
      // A listener that fails costs nothing but itself.
    }
  };

  const faults: Faults = {
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
