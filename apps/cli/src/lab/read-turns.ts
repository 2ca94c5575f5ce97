/** Reads recorded turns that started after a given time, newest first, up to a limit. */
import type { TraceEvent } from '@holdfast/core';
import type { TurnSummary } from '@holdfast/core/store';
import type { RecordedTurn } from '@holdfast/what-if';
import { UsageError } from '../exit-codes.ts';
import { checkReadable } from '../store.ts';
import type { TraceStore } from '../store/trace-store.ts';

export interface RecordedTurns {
  /** In the order in which they started. */
  readonly traces: readonly RecordedTurn[];
  /** The period has more, older turns that were not read. */
  readonly truncated: boolean;
}

export interface ReadTurnsOptions {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly limit: number;
  readonly onRead: (read: number) => void;
}

const pageSize = 200;

/** @throws UsageError when there is none. */
export async function readTurns(store: TraceStore, { since, limit, onRead }: ReadTurnsOptions): Promise<RecordedTurns> {
  const summaries = await listTurns(store, since, limit + 1);
  const traces: (readonly TraceEvent[])[] = [];
  for (const { turnId, run } of summaries.slice(0, limit)) {
    onRead(traces.length);
    traces.push((await store.readTurn(turnId, run)) ?? []);
  }
  checkReadable(store);
  if (traces.length === 0)
    throw new UsageError(`no turn started since ${new Date(since).toISOString()}. Use --since for a longer period, such as --since 7d.`);
  return { traces: traces.toReversed(), truncated: summaries.length > limit };
}

async function listTurns(store: TraceStore, since: number, max: number): Promise<readonly TurnSummary[]> {
  const found: TurnSummary[] = [];
  while (found.length < max) {
    const last = found.at(-1);
    const more = await store.listTurns({ since, limit: Math.min(pageSize, max - found.length), ...(last ? { after: last } : {}) });
    checkReadable(store);
    found.push(...more);
    if (more.length === 0) break;
  }
  return found;
}
