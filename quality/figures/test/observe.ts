/** Owns one scene with everything that is computed by hand from its events. */
import type { TraceEvent } from '@holdfast/core';
import type { TurnDetail, TurnItem, TurnPage } from '@holdfast/gateway/contract';
import { callsByHand, entriesOf, type Entry, type HandCall } from '../src/by-hand-calls.ts';
import { type HandTool, type HandTurn, toolByHand, turnByHand } from '../src/by-hand.ts';
import { playScene, type Scene, toolNames } from '../src/scene.ts';

export interface Observed {
  readonly scene: Scene;
  readonly entries: readonly Entry[];
  readonly calls: readonly HandCall[];
  readonly turns: readonly TurnItem[];
  readonly details: ReadonlyMap<string, TurnDetail>;
  readonly tools: ReadonlyMap<string, HandTool>;
  readonly hands: ReadonlyMap<string, HandTurn>;
  readonly hand: (name: string) => HandTool;
  readonly handTurn: (id: string) => HandTurn;
}

export const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Plays 200 turns in 30 outages. The seed is printed, so that a failure can be repeated with `FIGURES_SEED`. */
export async function observeScene(): Promise<Observed> {
  const seed = Number(process.env['FIGURES_SEED'] ?? Date.now() % 1_000_000);
  console.log(`FIGURES_SEED=${seed}`);
  const scene = await playScene(seed, { turns: 200, outages: 30 });
  const { turns } = await scene.get<TurnPage>('/v1/turns?limit=200');
  const details = new Map<string, TurnDetail>();
  for (const { turn_id: id } of turns) details.set(id, await scene.get<TurnDetail>(`/v1/turns/${id}?limit=10000`));
  const events: TraceEvent[] = [...details.values()].flatMap((detail) => [...detail.events]);
  const entries = entriesOf(events.toSorted((one, other) => Date.parse(one.timestamp) - Date.parse(other.timestamp)));
  const calls = callsByHand(entries);
  const tools = new Map(toolNames.map((name) => [name, toolByHand(name, calls, entries)]));
  const hands = new Map(turns.map(({ turn_id: id }) => [id, turnByHand(id, calls, entries)]));
  return {
    scene,
    entries,
    calls,
    turns,
    details,
    tools,
    hands,
    hand: (name) => tools.get(name) as HandTool,
    handTurn: (id) => hands.get(id) as HandTurn,
  };
}
