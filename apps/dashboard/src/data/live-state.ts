/**
 * Applies live messages to the overview.
 *
 * 1. Unchanged objects keep their identity, so that only changed parts rerender.
 * 2. A reset replaces everything; any other message updates it.
 * 3. Applying a message twice has no further effect.
 */
import type { ChangeItem, LiveMessage, Overview, ToolStatus, ToolTile, TurnBrief } from '@holdfast/gateway/contract';

const maxChanges = 50;
const maxTurns = 20;

const ranks: Readonly<Record<ToolStatus, number>> = { failing: 0, recovering: 1, degraded: 2, ok: 3, idle: 4 };

/** Doublings of the lost calls, so that tools do not change places with each call. */
const impactOf = ({ failure }: ToolTile): number => Math.floor(Math.log2(failure.part + 1));

/** Failing tools first, those that lose most calls before others, then by name. */
export const byUrgency = (one: ToolTile, other: ToolTile): number =>
  ranks[one.status] - ranks[other.status] || impactOf(other) - impactOf(one) || compareNames(one.name, other.name);

export const compareNames = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

export function applyMessage(known: Overview, message: LiveMessage): Overview {
  const base = message.reset === true ? withoutItems(known) : known;
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

const withoutItems = (known: Overview): Overview => ({ ...known, tools: [], changes: [], alerts: [], turns: [] });

function mergeTools(known: readonly ToolTile[], { tools, removed_tools }: LiveMessage): readonly ToolTile[] {
  if (tools.length === 0 && (removed_tools ?? []).length === 0) return known;
  const byName = new Map(known.map((tile) => [tile.name, tile]));
  for (const name of removed_tools ?? []) byName.delete(name);
  for (const tile of tools) byName.set(tile.name, tile);
  return [...byName.values()].toSorted(byUrgency);
}

function mergeChanges(known: readonly ChangeItem[], updates: readonly ChangeItem[]): readonly ChangeItem[] {
  const ids = new Set(known.map(({ id }) => id));
  const unseen = updates.filter(({ id }) => !ids.has(id));
  if (unseen.length === 0) return known;
  return [...unseen, ...known].toSorted((one, other) => other.id - one.id).slice(0, maxChanges);
}

function mergeTurns(known: readonly TurnBrief[], updates: readonly TurnBrief[]): readonly TurnBrief[] {
  if (updates.length === 0) return known;
  const byId = new Map(known.map((turn) => [turn.turn_id, turn]));
  for (const turn of updates) byId.set(turn.turn_id, turn);
  return [...byId.values()].toSorted((one, other) => compareNames(other.started_at, one.started_at)).slice(0, maxTurns);
}
