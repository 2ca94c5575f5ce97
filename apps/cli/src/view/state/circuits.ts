/** Folds circuit breakers: what they were when the turn began and how they moved. */
import type { CircuitState } from '@holdfast/core';
import type { CircuitBreakerClosed, CircuitBreakerHalfOpened, CircuitBreakerOpened, Stamp } from '@holdfast/core/trace';
import type { CircuitView, TurnView } from './model.ts';
import { isRecord, text, time, timeOrNone } from './read.ts';

type CircuitEvent = CircuitBreakerOpened | CircuitBreakerHalfOpened | CircuitBreakerClosed;

const states: Readonly<Record<CircuitEvent['event_type'], CircuitState>> = {
  CircuitBreakerOpened: 'open',
  CircuitBreakerHalfOpened: 'half_open',
  CircuitBreakerClosed: 'closed',
};

export function circuitMoved(view: TurnView, event: CircuitEvent & Stamp): TurnView {
  const toolId = text(event.tool_id);
  const before = view.circuits.find((circuit) => circuit.toolId === toolId);
  const opens = event.event_type === 'CircuitBreakerOpened';
  const after: CircuitView = {
    toolId,
    state: states[event.event_type],
    sinceMs: time(event.elapsed_ms),
    openForMs: opens ? timeOrNone(event.open_for_ms) : undefined,
    reason: text(event.reason),
    failureCount: opens ? time(event.failure_count) : 0,
    opened: (before?.opened ?? 0) + (opens ? 1 : 0),
  };
  return { ...view, circuits: [...view.circuits.filter((circuit) => circuit.toolId !== toolId), after] };
}

/** The breakers a turn found, from `TurnStarted`. Snapshots are saved state; only their words matter here. */
export function circuitsAtStart(circuits: unknown): readonly CircuitView[] {
  if (!isRecord(circuits)) return [];
  return Object.entries(circuits).flatMap(([toolId, snapshot]) => {
    const state = isRecord(snapshot) ? snapshot['state'] : undefined;
    if (state !== 'open' && state !== 'half_open') return [];
    return [{ toolId, state, sinceMs: 0, openForMs: undefined, reason: '', failureCount: 0, opened: 0 }];
  });
}
