/**
 * Owns the history of turns that workers run: folded from the store, because a worker that takes over a turn has only a part of its events; by one gateway at a time.
 *
 * Invariants
 * 1. Each event is counted once, even if the counting process dies: the counts and their cursor are written together.
 * 2. If the store is a file, its only gateway counts what is appended while it runs.
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
  /** Called for each change; the listener stores it. */
  readonly onChange: (change: Omit<ChangeItem, 'id'>) => void;
  readonly onFault: (text: string) => void;
  /** @default 1000 */
  readonly everyMs?: number | undefined;
}

const leaseName = 'durable-turns';
const maxEvents = 1_000;

/** Starts at once; returns a function that stops. */
export function keepDurableHistory(options: DurableHistoryOptions): () => Promise<void> {
  const { store, kept, onChange, onFault, everyMs = 1_000 } = options;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** Created again each time this process gets the lease: what another process has counted is in the database. */
  let counting: ReturnType<typeof createCounting> | undefined;

  /** If no process has counted before, counting starts here. */
  const firstRead = store.readAppended?.(undefined, 1);
  const lease = kept.lease?.(leaseName, {
    onGained: () => {
      counting = undefined;
    },
  });

  const step = async (): Promise<void> => {
    if (lease && !lease.isHeld()) return;
    const term = lease?.term ?? 0;
    counting ??= createCounting(options, { term, cursor: (lease && (await kept.cursor?.(leaseName))) ?? (await firstRead)?.cursor });
    const current = counting;
    // The lease was lost and gained again: another process may have counted, so these counts are dropped.
    const isOurs = (): boolean => !lease || (lease.isHeld() && lease.term === current.term);
    for (let isMore = true; isMore && !isClosed;) {
      const found = await store.readAppended?.(current.cursor, maxEvents);
      if (found === undefined) return;
      isMore = found.events.length >= maxEvents;
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
  const run = (): void => {
    running = step()
      .catch((error: unknown) => onFault(`The history of durable turns cannot be updated: ${String(error)}`))
      .finally(() => {
        if (isClosed) return;
        timer = setTimeout(run, everyMs);
        timer.unref();
      });
  };
  run();
  return async () => {
    isClosed = true;
    clearTimeout(timer);
    await running;
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
