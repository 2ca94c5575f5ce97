/**
 * Owns how live messages change what is known. Pure.
 *
 * 1. What has not changed keeps its identity, so that only what changed is drawn again.
 * 2. A reset replaces everything; any other message only adds to what is there.
 * 3. A message that comes twice changes nothing the second time.
 */
import type { ChangeItem, LiveMessage, Overview, ToolStatus, ToolTile, TurnBrief } from '@holdfast/gateway/contract';

const changesKept = 50;
const turnsKept = 20;

const ranks: Readonly<Record<ToolStatus, number>> = { failing: 0, recovering: 1, degraded: 2, ok: 3, idle: 4 };

/** Failing ones first, then by name. */
export const byUrgency = (one: ToolTile, other: ToolTile): number =>
  ranks[one.status] - ranks[other.status] || compareNames(one.name, other.name);

export const compareNames = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

export function applyMessage(known: Overview, message: LiveMessage): Overview {
  const base = message.reset === true ? emptied(known) : known;
  return {
    at: message.at,
    cursor: message.cursor,
    totals: message.totals,
    tools: mergeTools(base.tools, message),
    changes: mergeChanges(base.changes, message.changes),
    alerts: message.alerts ?? base.alerts,
    turns: mergeTurns(base.turns, message.turns),
  };
}

const emptied = (known: Overview): Overview => ({ ...known, tools: [], changes: [], alerts: [], turns: [] });

function mergeTools(known: readonly ToolTile[], { tools, removed_tools }: LiveMessage): readonly ToolTile[] {
  if (tools.length === 0 && (removed_tools ?? []).length === 0) return known;
  const byName = new Map(known.map((tile) => [tile.name, tile]));
  for (const name of removed_tools ?? []) byName.delete(name);
  for (const tile of tools) byName.set(tile.name, tile);
  return [...byName.values()].toSorted(byUrgency);
}

function mergeChanges(known: readonly ChangeItem[], news: readonly ChangeItem[]): readonly ChangeItem[] {
  const ids = new Set(known.map(({ id }) => id));
  const unseen = news.filter(({ id }) => !ids.has(id));
  if (unseen.length === 0) return known;
  return [...unseen, ...known].toSorted((one, other) => other.id - one.id).slice(0, changesKept);
}

function mergeTurns(known: readonly TurnBrief[], news: readonly TurnBrief[]): readonly TurnBrief[] {
  if (news.length === 0) return known;
  const byId = new Map(known.map((turn) => [turn.turn_id, turn]));
  for (const turn of news) byId.set(turn.turn_id, turn);
  return [...byId.values()].toSorted((one, other) => compareNames(other.started_at, one.started_at)).slice(0, turnsKept);
}
