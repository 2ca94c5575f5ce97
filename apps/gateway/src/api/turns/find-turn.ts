/** Owns finding a recorded run of a turn: its events and its summary. */
import type { TraceEvent } from '@holdfast/core';
import type { Store, TurnSummary } from '@holdfast/core/store';

export interface FoundTurn {
  readonly events: readonly TraceEvent[];
  readonly summary: TurnSummary;
}

const pageSize = 200;
const maxPages = 20;

/** Finds a run, by default the latest. Includes everything that is recorded until now. */
export async function findTurn(history: Store, turnId: string, run?: number): Promise<FoundTurn | undefined> {
  await history.flush();
  const events = await history.readTurn(turnId, run);
  const first = events?.[0];
  if (events === undefined || first === undefined) return undefined;
  const summary = await summaryOf(history, turnId, Date.parse(first.timestamp), run);
  return summary && { events, summary };
}

/** The store lists turns by the time of their start. */
async function summaryOf(history: Store, turnId: string, startedAt: number, run: number | undefined): Promise<TurnSummary | undefined> {
  let after: TurnSummary | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const turns = await history.listTurns({ since: startedAt, before: startedAt + 1, limit: pageSize, ...(after ? { after } : {}) });
    const found = turns.find((turn) => turn.turnId === turnId && (run === undefined || turn.run === run));
    if (found !== undefined || turns.length < pageSize) return found;
    after = turns.at(-1);
  }
  return undefined;
}
