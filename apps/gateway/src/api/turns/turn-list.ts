/**
 * Owns pages of recorded turns, filtered.
 *
 * Invariant: one page looks at a bounded number of turns, however few of them pass the filter; the cursor says where it stopped.
 */
import type { Store, TurnQuery, TurnSummary } from '@holdfast/core';
import type { TurnItem, TurnOutcome, TurnPage, TurnState } from '../../contract.ts';

export interface TurnFilter {
  readonly limit: number;
  readonly cursor?: TurnQuery['after'] | undefined;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly before?: number | undefined;
  readonly outcome?: readonly TurnOutcome[] | undefined;
  readonly state?: readonly TurnState[] | undefined;
}

const mostLookedAt = 5_000;
const stepSize = 500;

export async function listTurns(history: Store, filter: TurnFilter): Promise<TurnPage> {
  await history.flush();
  const { limit, cursor, since, before } = filter;
  const passes = passing(filter);
  const turns: TurnSummary[] = [];
  let after = cursor;
  for (let looked = 0; looked < mostLookedAt;) {
    const step = passes ? stepSize : limit + 1;
    const found = await history.listTurns({
      limit: step,
      ...(after === undefined ? {} : { after }),
      ...(since === undefined ? {} : { since }),
      ...(before === undefined ? {} : { before }),
    });
    for (const turn of found) {
      if (turns.length === limit) return page(turns, after);
      after = turn;
      if (passes?.(turn) ?? true) turns.push(turn);
    }
    looked += found.length;
    if (found.length < step) return page(turns, undefined);
  }
  return page(turns, after);
}

function turnItem({ turnId, run, startedAt, endedAt, state, outcome, summary, calls, events }: TurnSummary): TurnItem {
  return {
    turn_id: turnId,
    run,
    started_at: isoOf(startedAt),
    ...(endedAt === undefined ? {} : { ended_at: isoOf(endedAt) }),
    state,
    ...(outcome === undefined ? {} : { outcome }),
    ...(summary === undefined ? {} : { summary }),
    calls,
    events,
  };
}

const isoOf = (epochMs: number): string => new Date(epochMs).toISOString();

/** `undefined`: every turn passes. */
function passing({ outcome, state }: TurnFilter): ((turn: TurnSummary) => boolean) | undefined {
  if (outcome === undefined && state === undefined) return undefined;
  return (turn) =>
    (state?.includes(turn.state) ?? true) && (outcome === undefined || (turn.outcome !== undefined && outcome.includes(turn.outcome)));
}

function page(turns: readonly TurnSummary[], after: TurnFilter['cursor']): TurnPage {
  return { turns: turns.map(turnItem), ...(after === undefined ? {} : { next_cursor: cursorText(after) }) };
}

const cursorText = ({ startedAt, run }: NonNullable<TurnFilter['cursor']>): string => `${startedAt}-${run}`;

/** `undefined`: no cursor of ours. */
export function cursorOf(text: string): TurnFilter['cursor'] {
  const [, startedAt, run] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  return startedAt === undefined || run === undefined ? undefined : { startedAt: Number(startedAt), run: Number(run) };
}
