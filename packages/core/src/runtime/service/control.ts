/**
 * Owns what is recorded outside of any turn: changes of circuits by hand and by the fleet, and components that failed. Does not own the circuits.
 *
 * Invariant: to report a fault never causes one.
 */
import type { FleetChange } from '../../engine/ports/circuit-sharing.ts';
import type { System } from '../../engine/ports/system.ts';
import type { Trace } from '../../engine/trace/turn-trace.ts';
import { endDelays, wakeWaiters } from '../drivers/gate-alarm.ts';
import { transitionEvent } from '../drivers/transition-event.ts';
import { callSafely } from '../../engine/plain/call-safely.ts';
import type { HubFault } from './event-hub.ts';
import type { GateChanged } from './tool-set.ts';

export interface Control {
  readonly reportFault: (fault: HubFault) => void;
  /** Records what happened to circuits, and wakes the calls that wait for them. */
  readonly publishChanges: (changes: readonly GateChanged[], word?: FleetChange) => void;
}

export interface ControlOptions {
  readonly trace: Trace;
  readonly system: System;
  readonly redact: (text: string) => string;
  readonly onFault: ((fault: HubFault) => unknown) | undefined;
}

export function createControl({ trace, system, redact, onFault }: ControlOptions): Control {
  return {
    reportFault(fault) {
      const { component } = fault;
      // The trace cannot record that the store which keeps it fails; runners fail after it is closed.
      if (component !== 'store' && component !== 'runner')
        trace.append({ event_type: 'ComponentFailed', ...fault, component, error: redact(fault.error) }, system.now());
      callSafely(() => onFault?.(fault), ignore);
    },
    publishChanges(changes, word) {
      const now = system.now();
      for (const { runtime, change } of changes) {
        for (const transition of change.transitions) {
          trace.append({ ...transitionEvent(runtime, transition), ...word }, now);
          endDelays(runtime, transition, (task) => system.defer(task));
        }
        wakeWaiters(runtime, change, system, now);
      }
    },
  };
}

function ignore(): void {
  // No listener is left.
}
