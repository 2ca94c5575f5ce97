/** Owns folding events of the store that start in the middle of a turn: earlier events are read first. */
import type { TraceEvent } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { turnEndOf } from '@holdfast/core/trace';
import type { History as Folds } from '@holdfast/core/history';

export interface Recall {
  /** Whether the event belongs to a turn that an engine runs. */
  isDurable(event: TraceEvent): Promise<boolean>;
  observe(event: TraceEvent): Promise<void>;
}

const maxTurns = 20_000;

export function createRecall({ store, folds }: { readonly store: Pick<Store, 'readTurn'>; readonly folds: Folds }): Recall {
  /** Whether an engine runs the turn, for each turn that has not ended. */
  const durable = new Map<string, boolean>();
  const note = (first: TraceEvent): boolean => {
    const is = first.event_type === 'TurnStarted' && first.execution_id !== undefined;
    durable.set(first.turn_id, is);
    if (durable.size > maxTurns) for (const oldest of durable.keys()) return durable.delete(oldest) && is;
    return is;
  };
  return {
    async isDurable(event) {
      const known = event.seq === 1 ? note(event) : durable.get(event.turn_id);
      if (turnEndOf(event) !== undefined) durable.delete(event.turn_id);
      if (known !== undefined) return known;
      const [first] = (await store.readTurn(event.turn_id)) ?? [];
      return first !== undefined && note(first);
    },
    async observe(event) {
      if (event.seq > 1 && !folds.knowsTurn(event.turn_id))
        for (const earlier of (await store.readTurn(event.turn_id)) ?? []) if (earlier.seq < event.seq) folds.recall(earlier);
      folds.observe(event);
    },
  };
}
