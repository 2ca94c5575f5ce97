/** Owns what happens at the two ends of a service's life: restoring circuits and memory from the store, saving them, closing what is open. */
import type { CircuitSnapshot } from '../../engine/breaker/types.ts';
import { save } from '../../engine/admission/gate-control.ts';
import { describeError } from '../../engine/classify/describe-error.ts';
import type { CircuitLink } from '../../engine/ports/circuit-sharing.ts';
import type { Store } from '../../engine/ports/store.ts';
import type { System } from '../../engine/ports/system.ts';
import { callSafely } from '../../engine/plain/call-safely.ts';
import { endWithin } from './closing.ts';
import type { Control } from './control.ts';
import type { EventHub } from './event-hub.ts';
import type { MemoryKeeper } from './memory-keeper.ts';
import type { ToolSet } from './tool-set.ts';

export interface Lifetime {
  readonly saveCircuits: () => void;
  readonly restore: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface LifetimeParts {
  readonly system: System;
  readonly store: Store | undefined;
  readonly toolSet: ToolSet;
  readonly keeper: MemoryKeeper | undefined;
  readonly hub: EventHub;
  readonly control: Control;
  readonly sharing: CircuitLink | undefined;
  readonly closeTimeoutMs: number;
}

export function createLifetime({ system, store, toolSet, keeper, hub, control, sharing, closeTimeoutMs }: LifetimeParts): Lifetime {
  const storeFailed = (name: string, error: unknown): void =>
    control.reportFault({ component: 'store', name, error: describeError(error).message });

  const saveCircuits = (): void => {
    if (!store) return;
    const clock = { now: system.now(), nowEpochMs: system.epochMs() };
    const circuits = new Map<string, CircuitSnapshot>(toolSet.runtimes.map(({ name, gate }) => [name, save(gate, clock)]));
    callSafely(
      () => store.saveCircuits(circuits),
      (error) => storeFailed('saveCircuits', error),
    );
  };

  return {
    saveCircuits,
    async restore() {
      if (!store) return;
      try {
        control.publishChanges(toolSet.remember(await store.loadCircuits()));
        await keeper?.restore();
      } catch (error) {
        storeFailed('restore', error);
      }
    },
    async close() {
      hub.flush();
      saveCircuits();
      keeper?.close();
      const runners = toolSet.tools.map(({ name, run }) => ({ component: 'runner' as const, name, end: () => run.close?.() }));
      const stores = store ? [{ component: 'store' as const, name: 'flush', end: () => store.flush() }] : [];
      const shared = sharing ? [{ component: 'circuits' as const, name: 'close', end: sharing.close }] : [];
      await endWithin(system, closeTimeoutMs, [...runners, ...stores, ...shared], control.reportFault);
    },
  };
}
