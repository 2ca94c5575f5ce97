/** Owns the first event of a turn in a world, with everything that its decisions depend on. Only built when whole traces are read. */
import type { PlanGraph, RecoveryRule, Profile, ToolSettings, TurnSettings } from '@holdfast/core';
import type { TurnStarted } from '@holdfast/core/trace';
import type { VirtualTools } from '@holdfast/core/internal';
import { touchedCircuits } from '@holdfast/core/internal';
import type { LabRun } from '../run/contender.ts';

export interface TurnGround {
  readonly run: LabRun;
  readonly profile: Profile;
  readonly settings: Readonly<Record<string, ToolSettings>>;
  readonly tools: VirtualTools;
  readonly recoveryRules: readonly RecoveryRule[];
}

export function turnStarted(
  { run, profile, settings, tools, recoveryRules }: TurnGround,
  graph: PlanGraph,
  { timeoutMs, concurrency, onDeadline, maxRetries }: TurnSettings,
): TurnStarted {
  const now = run.now();
  return {
    event_type: 'TurnStarted',
    seed: run.seed,
    profile: profile.name,
    timeout_ms: timeoutMs,
    concurrency,
    on_deadline: onDeadline,
    max_retries: maxRetries,
    calls: graph.nodes.map(({ callId, dependsOn, call: { toolName, optional, critical } }) => ({
      call_id: callId,
      tool_id: toolName,
      depends_on: dependsOn,
      ...(optional === true ? { optional } : {}),
      ...(critical === true ? { critical } : {}),
    })),
    tools: settings,
    base: profile.tool,
    recovery_rules: recoveryRules,
    circuits: touchedCircuits(tools, { now, nowEpochMs: run.startedAtEpochMs + now }),
  };
}
