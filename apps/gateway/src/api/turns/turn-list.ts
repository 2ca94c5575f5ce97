/**
 * Owns pages of recorded turns, filtered by summaries of the trace store and by facts of the history.
 *
 * Invariants
 * 1. One page scans a bounded number of turns, however few of them match; the cursor is where the scan stopped.
 * 2. Every item is read from the trace store, so lists by facts and other lists agree about a turn.
 */
import type { Store, TurnQuery, TurnSummary } from '@holdfast/core/store';
import { isControlTurnId } from '@holdfast/core/internal';
import type { TurnFacts, TurnItem, TurnOutcome, TurnPage, TurnState } from '../../contract.ts';
import type { History } from '../../history/history.ts';
import { toIso } from '../../plain/iso-time.ts';

/** The turn after which a page continues: in the order of the store, or in the order of the facts. */
export type TurnCursor = NonNullable<TurnQuery['after']> | { readonly startedAt: number; readonly fact: number };

export interface TurnFilter extends FactFilter {
  readonly limit: number;
  readonly cursor?: TurnCursor | undefined;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly before?: number | undefined;
  readonly outcome?: readonly TurnOutcome[] | undefined;
  readonly state?: readonly TurnState[] | undefined;
  /** Whether the caller sees the turn of this id. @default all */
  readonly isSeen?: ((turnId: string) => boolean) | undefined;
}

/** Filters that need the history. */
export interface FactFilter {
  readonly tool_id?: string | undefined;
  /** Code of a failure. */
  readonly code?: string | undefined;
  readonly retried?: boolean | undefined;
  readonly deadline?: boolean | undefined;
  readonly repaired?: boolean | undefined;
  readonly alternative?: boolean | undefined;
  /** The start of the id, or words of the summary. */
  readonly q?: string | undefined;
}

const maxScanned = 5_000;
const stepSize = 500;

type Past = Pick<History, 'turns' | 'turnsBack' | 'facts'>;

/** A search for words scans this many turns per step. */
const searchStep = 5_000;
const maxSearches = 20;

export function filtersByFacts({ tool_id: tool, code, retried, deadline, repaired, alternative, q }: FactFilter): boolean {
  return [tool, code, retried, deadline, repaired, alternative, q].some((asked) => asked !== undefined);
}

export async function listTurns(history: Store, filter: TurnFilter, past: Past | undefined): Promise<TurnPage> {
  await history.flush();
  return past && filtersByFacts(filter) ? listByFacts(history, filter, past) : listAll(history, filter, past);
}

async function listAll(history: Store, filter: TurnFilter, past: Past | undefined): Promise<TurnPage> {
  const { limit, since, before } = filter;
  const cursor = filter.cursor && 'run' in filter.cursor ? filter.cursor : undefined;
  const passes = passing(filter);
  const turns: TurnSummary[] = [];
  let after = cursor;
  for (let scanned = 0; scanned < maxScanned;) {
    const step = passes ? stepSize : limit + 1;
    const found = await history.listTurns({
      limit: step,
      ...(after === undefined ? {} : { after }),
      ...(since === undefined ? {} : { since }),
      ...(before === undefined ? {} : { before }),
    });
    for (const turn of found) {
      if (turns.length === limit) return page(turns, after, past);
      after = turn;
      if (!isControlTrace(turn) && (passes?.(turn) ?? true)) turns.push(turn);
    }
    scanned += found.length;
    if (found.length < step) return page(turns, undefined, past);
  }
  return page(turns, after, past);
}

/** What happens outside of turns, such as a circuit that follows the fleet, has a trace of its own for each process. It never ends, and would look like an interrupted turn. */
function isControlTrace({ turnId, calls, outcome }: TurnSummary): boolean {
  return calls === 0 && outcome === undefined && isControlTurnId(turnId);
}

/** Finds turns in the history and reads them from the store. Turns that the store no longer has are left out. */
async function listByFacts(history: Store, filter: TurnFilter, past: Past): Promise<TurnPage> {
  const { limit, cursor, state, q: text, tool_id: toolName, isSeen = () => true, ...asked } = filter;
  const lookUp = summaries(history);
  const turns: TurnItem[] = [];
  let after = cursor && 'fact' in cursor ? cursor : undefined;
  let searches = 0;
  for (let scanned = 0; scanned < maxScanned && searches < maxSearches;) {
    const place = after && { startedAt: after.startedAt, id: after.fact };
    const downTo = text === undefined ? undefined : await past.turnsBack(place, searchStep);
    const found = await past.turns({ ...asked, toolName, text, limit: limit + 1, after: place, downTo });
    for (const { id, turn_id, started_at, facts } of found) {
      if (turns.length === limit) return { turns, ...nextOf(after) };
      after = { startedAt: started_at, fact: id };
      if (!isSeen(turn_id)) continue;
      const summary = await lookUp(turn_id, started_at);
      if (summary && !isControlTrace(summary) && (state?.includes(summary.state) ?? true)) turns.push(turnItem(summary, facts));
    }
    scanned += found.length;
    if (found.length > limit) continue;
    if (!downTo) return { turns };
    // Continues after the searched turns; lets other work run first.
    after = { startedAt: downTo.startedAt, fact: downTo.id };
    searches += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { turns, ...nextOf(after) };
}

/** Turns that started in the same millisecond are read together. */
function summaries(history: Store): (turnId: string, startedAt: number) => Promise<TurnSummary | undefined> {
  let known: { readonly startedAt: number; readonly turns: readonly TurnSummary[] } | undefined;
  return async (turnId, startedAt) => {
    if (known?.startedAt !== startedAt)
      known = { startedAt, turns: await history.listTurns({ since: startedAt, before: startedAt + 1, limit: maxScanned }) };
    return known.turns.find((turn) => turn.turnId === turnId);
  };
}

function turnItem(
  { turnId, run, startedAt, endedAt, state, outcome, summary, calls, events }: TurnSummary,
  facts: TurnFacts | undefined,
): TurnItem {
  return {
    turn_id: turnId,
    run,
    started_at: toIso(startedAt),
    ...(endedAt === undefined ? {} : { ended_at: toIso(endedAt) }),
    state,
    ...(outcome === undefined ? {} : { outcome }),
    ...(summary === undefined ? {} : { summary }),
    calls,
    events,
    ...(facts ? { facts } : {}),
  };
}

/** `undefined` when every turn passes. */
function passing({ outcome, state, isSeen }: TurnFilter): ((turn: TurnSummary) => boolean) | undefined {
  if (outcome === undefined && state === undefined && isSeen === undefined) return undefined;
  return (turn) =>
    (isSeen?.(turn.turnId) ?? true) &&
    (state?.includes(turn.state) ?? true) &&
    (outcome === undefined || (turn.outcome !== undefined && outcome.includes(turn.outcome)));
}

async function page(turns: readonly TurnSummary[], after: TurnCursor | undefined, past: Past | undefined): Promise<TurnPage> {
  const items = turns.map(async (turn) => turnItem(turn, (await past?.facts(turn.turnId, turn.startedAt))?.facts));
  return { turns: await Promise.all(items), ...nextOf(after) };
}

function nextOf(cursor: TurnCursor | undefined): { readonly next_cursor?: string } {
  if (cursor === undefined) return {};
  return { next_cursor: 'fact' in cursor ? `f${cursor.startedAt}-${cursor.fact}` : `${cursor.startedAt}-${cursor.run}` };
}

/** `undefined` for an invalid cursor. */
export function cursorOf(text: string): TurnCursor | undefined {
  const [, facts, startedAt, number] = /^(f?)(\d{1,15})-(\d{1,16})$/.exec(text) ?? [];
  if (startedAt === undefined || number === undefined) return undefined;
  return facts === 'f' ? { startedAt: Number(startedAt), fact: Number(number) } : { startedAt: Number(startedAt), run: Number(number) };
}
