/**
 * Owns the history of turns that workers run: folded from the store, since a worker that takes a turn over has heard only half of it; by one gateway at a time.
 *
 * Invariants
 * 1. Each event is counted once, over the death of the one that counts: what was counted is written together with how far that was.
 * 2. Where the store is a file, the one gateway beside it counts what is appended while it runs.
 */
import type { TraceEvent } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { createHistory, type HistoryOptions, type KeptHistory } from '@holdfast/core/history';
import type { ChangeItem } from '../contract.ts';
import { createRecall } from './recall-turn.ts';

export interface DurableHistoryOptions {
  readonly store: Pick<Store, 'readAppended' | 'readTurn'>;
  readonly kept: KeptHistory;
  readonly folds: HistoryOptions;
  /** Told of what has changed; it is kept by whatever hears it. */
  readonly onChange: (change: Omit<ChangeItem, 'id'>) => void;
  readonly onFault: (text: string) => void;
  /** @default 1000 */
  readonly everyMs?: number | undefined;
}

const leaseName = 'durable-turns';
const mostEvents = 1_000;

/** Begins at once; answers the way to stop. */
export function keepDurableHistory(options: DurableHistoryOptions): () => Promise<void> {
  const { store, kept, onChange, onFault, everyMs = 1_000 } = options;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let going: Promise<void> | undefined;
  /** Anew whenever it is this process's turn: what another has counted is in the database. */
  let counting: ReturnType<typeof createCounting> | undefined;

  /** Where nobody has counted before, counting begins with this process. */
  const began = store.readAppended?.(undefined, 1);
  const lease = kept.lease?.(leaseName, {
    onGained: () => {
      counting = undefined;
    },
  });

  const step = async (): Promise<void> => {
    if (lease && !lease.isHeld()) return;
    const term = lease?.term ?? 0;
    counting ??= createCounting(options, { term, cursor: (lease && (await kept.cursor?.(leaseName))) ?? (await began)?.cursor });
    const current = counting;
    // Lost and gained again meanwhile: another may have counted, and what this one has is dropped.
    const isOurs = (): boolean => !lease || (lease.isHeld() && lease.term === current.term);
    for (let isMore = true; isMore && !isClosed;) {
      const found = await store.readAppended?.(current.cursor, mostEvents);
      if (found === undefined) return;
      isMore = found.events.length >= mostEvents;
      await current.count(found.events);
      if (!isOurs()) {
        counting = undefined;
        return;
      }
      const isNew = current.cursor !== found.cursor;
      current.cursor = found.cursor;
      if (!isNew) continue;
      for (const change of current.folds.takeChanges()) onChange(change);
      kept.write({ ...current.folds.take(), changes: [] }, lease && { lease, cursor: found.cursor });
    }
  };
  const look = (): void => {
    going = step()
      .catch((error: unknown) => onFault(`The history of durable turns: ${String(error)}`))
      .finally(() => {
        if (isClosed) return;
        timer = setTimeout(look, everyMs);
        timer.unref();
      });
  };
  look();
  return async () => {
    isClosed = true;
    clearTimeout(timer);
    await going;
    await lease?.release();
  };
}

function createCounting(
  { store, folds: options }: DurableHistoryOptions,
  from: { readonly term: number; readonly cursor: string | undefined },
) {
  const folds = createHistory(options);
  const recall = createRecall({ store, folds });
  return {
    folds,
    ...from,
    async count(events: readonly TraceEvent[]): Promise<void> {
      for (const event of events) if (await recall.isDurable(event)) await recall.observe(event);
    },
  };
}
