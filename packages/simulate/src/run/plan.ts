/** Owns the plan of a group's turns, built once. */
import type { AgentGroup } from '../world/world.ts';
import type { LabPlan, PlannedLabCall } from './contender.ts';

export function planOf({ turn, deadlineMs }: AgentGroup): LabPlan {
  const uses = new Map<string, number>();
  for (const { toolName: tool } of turn) uses.set(tool, (uses.get(tool) ?? 0) + 1);
  const seen = new Map<string, number>();
  const calls = turn.map(({ callId: id, toolName: tool, dependsOn = [], optional = false, critical = false }): PlannedLabCall => {
    const nth = (seen.get(tool) ?? 0) + 1;
    seen.set(tool, nth);
    return { id: id ?? (uses.get(tool) === 1 ? tool : `${tool}-${nth}`), toolName: tool, dependsOn, optional, critical };
  });
  return { calls, deadlineMs };
}

/** The longest chain of dependent calls. */
export function depthOf({ calls }: LabPlan): number {
  const byId = new Map(calls.map((call) => [call.id, call]));
  const depths = new Map<string, number>();
  const depth = (id: string): number => {
    const known = depths.get(id);
    if (known !== undefined) return known;
    depths.set(id, 1);
    const found = 1 + Math.max(0, ...(byId.get(id)?.dependsOn ?? []).map(depth));
    depths.set(id, found);
    return found;
  };
  return Math.max(0, ...calls.map(({ id }) => depth(id)));
}
