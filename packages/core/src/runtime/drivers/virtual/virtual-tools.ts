/** Owns tools in simulated time: their settings and gates, and their circuits at the beginning and at the end. Shared by all turns of one world. */
import { restore, save } from '../../../engine/admission/gate-control.ts';
import { isPristine } from '../../../engine/breaker/snapshot.ts';
import type { CircuitSnapshot } from '../../../engine/breaker/types.ts';
import type { ToolSettings } from '../../../engine/settings/settings.ts';
import type { GatedTool } from '../tool-runtime.ts';
import { createGatedTool, partitionOf } from '../tool-runtime.ts';

/** Tools in simulated time with their settings and gates, by name. */
export type VirtualTools = ReadonlyMap<string, GatedTool>;

/**
 * Creates a tool for each entry of `settings`.
 *
 * @param circuits Circuits to begin with, by tool name; an open period has as much time left as when it was saved. @default closed circuits
 */
export function createVirtualTools(
  settings: Readonly<Record<string, ToolSettings>>,
  circuits: Readonly<Record<string, CircuitSnapshot>> = {},
): VirtualTools {
  const tools = new Map(Object.entries(settings).map(([name, own]) => [name, createGatedTool(name, own)]));
  restoreCircuits(tools, circuits);
  return tools;
}

/** As after a restart, with circuits that were saved at the start of the simulated time. */
export function restoreCircuits(tools: VirtualTools, circuits: Readonly<Record<string, CircuitSnapshot>>): void {
  for (const [name, snapshot] of Object.entries(circuits)) {
    const tool = tools.get(name);
    // Saved and restored at the same moment: no part of an open period has passed.
    if (tool) restore(tool.gate, snapshot, { now: 0, nowEpochMs: snapshot.savedAtEpochMs });
  }
}

/** The same tools with the gates of partitions, by tool; all partitions of a tool keep its limits together. */
export function partitionedTools(tools: VirtualTools, partitions: Readonly<Record<string, string>>): VirtualTools {
  const own = new Map(tools);
  for (const [name, partition] of Object.entries(partitions)) {
    const tool = tools.get(name);
    if (!tool) continue;
    const gate = partitionOf(tool, partition);
    tool.peers.set(partition, gate);
    own.set(name, { ...tool, ...gate });
  }
  return own;
}

/** The circuits that are not in their initial state, as a turn's first event records them. */
export function touchedCircuits(
  tools: VirtualTools,
  at: { readonly now: number; readonly nowEpochMs: number },
): Readonly<Record<string, CircuitSnapshot>> {
  const circuits: Record<string, CircuitSnapshot> = {};
  for (const [name, { gate }] of tools) {
    if (!isPristine(gate.breaker)) circuits[name] = save(gate, at);
  }
  return circuits;
}
