/** Owns what the turn machine remembers. Written only by the files of this folder. */
import type { ToolResult } from '../call/result.ts';
import type { TurnSettings } from '../settings/settings.ts';
import type { PlanGraph, PlanNode } from './plan.ts';
import type { TurnEffect } from './protocol.ts';

type CallStage = 'waiting' | 'ready' | 'running' | 'settled';

/** The progress of one call of the turn. */
export interface CallProgress {
  readonly node: PlanNode;
  stage: CallStage;
  /** Number of dependencies that have not settled. */
  openDependencies: number;
  result: ToolResult | undefined;
  startedAt: number | undefined;
  settledAt: number | undefined;
}

/** What the turn machine remembers about a turn. */
export interface TurnState {
  readonly turnId: string;
  readonly settings: TurnSettings;
  readonly graph: PlanGraph;
  readonly calls: ReadonlyMap<string, CallProgress>;
  /** Ready calls: critical ones, and the others. */
  readonly ready: { readonly critical: CallProgress[]; readonly others: CallProgress[] };
  /** How many were taken from each. */
  readonly taken: { critical: number; others: number };
  startedAt: number;
  running: number;
  unsettled: number;
  /** Set when no further call starts. */
  ended: 'deadline' | 'cancelled' | undefined;
  settled: boolean;
  /** Outputs that references may use: results and fallbacks; declared defaults are per call. */
  readonly outputs: Map<string, unknown>;
}

export interface TurnStep {
  readonly state: TurnState;
  readonly now: number;
  readonly effects: TurnEffect[];
}

export function createTurnState(turnId: string, graph: PlanGraph, settings: TurnSettings, now: number): TurnState {
  const calls = new Map<string, CallProgress>();
  for (const node of graph.nodes) {
    calls.set(node.callId, {
      node,
      stage: 'waiting',
      openDependencies: node.dependsOn.length,
      result: undefined,
      startedAt: undefined,
      settledAt: undefined,
    });
  }
  return {
    turnId,
    settings,
    graph,
    calls,
    ready: { critical: [], others: [] },
    taken: { critical: 0, others: 0 },
    startedAt: now,
    running: 0,
    unsettled: calls.size,
    ended: undefined,
    settled: false,
    outputs: new Map(),
  };
}
