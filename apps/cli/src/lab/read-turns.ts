/** Owns the reading of recorded turns that began since some time, newest first up to a limit. */
import type { TraceEvent } from '@holdfast/core';
import type { TurnSummary } from '@holdfast/core/store';
import type { RecordedTurn } from '@holdfast/what-if';
import { UsageError } from '../exit-codes.ts';
import { checkReadable } from '../store.ts';
import type { TraceStore } from '../store/trace-store.ts';

export interface TurnsRead {
  /** In the order in which they began. */
  readonly traces: readonly RecordedTurn[];
  /** There are older ones since then that were not read. */
  readonly cutShort: boolean;
}

export interface TurnsAsked {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly limit: number;
  readonly onRead: (read: number) => void;
}

const page = 200;

/** @throws UsageError when there is none. */
export async function readTurns(store: TraceStore, { since, limit, onRead }: TurnsAsked): Promise<TurnsRead> {
  const summaries = await listTurns(store, since, limit + 1);
  const traces: (readonly TraceEvent[])[] = [];
  for (const { turnId, run } of summaries.slice(0, limit)) {
    onRead(traces.length);
    traces.push((await store.readTurn(turnId, run)) ?? []);
  }
  checkReadable(store);
  if (traces.length === 0)
    throw new UsageError(`no turn began since ${new Date(since).toISOString()}. Ask for more with --since, such as --since 7d.`);
  return { traces: traces.toReversed(), cutShort: summaries.length > limit };
}

async function listTurns(store: TraceStore, since: number, most: number): Promise<readonly TurnSummary[]> {
  const found: TurnSummary[] = [];
  while (found.length < most) {
    const last = found.at(-1);
    const more = await store.listTurns({ since, limit: Math.min(page, most - found.length), ...(last ? { after: last } : {}) });
    checkReadable(store);
    found.push(...more);
    if (more.length === 0) break;
  }
  return found;
}
