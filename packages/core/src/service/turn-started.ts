/** Owns the first event of a turn, which says all that its decisions rest on. */
import type { CircuitSnapshot } from '../breaker/index.ts';
import { save } from '../admission/index.ts';
import type { Mutable } from '../mutable.ts';
import { redactedCopy } from '../redact/redact.ts';
import type { ToolPolicy, ToolSettings, TurnSettings } from '../settings/settings.ts';
import type { PlannedCallRecord, TurnStarted } from '../trace/events.ts';
import type { PlanGraph, PlanNode } from '../turn/plan.ts';
import type { ServiceKit } from './service-kit.ts';

export function turnStarted(
  kit: ServiceKit,
  graph: PlanGraph,
  { timeoutMs, concurrency, onDeadline, maxRetries }: TurnSettings,
): TurnStarted {
  const tools = toolsOf(kit, graph);
  return {
    event_type: 'TurnStarted',
    seed: kit.seed,
    profile: kit.profile,
    timeout_ms: timeoutMs,
    concurrency,
    on_deadline: onDeadline,
    max_retries: maxRetries,
    calls: graph.nodes.map((node) => planned(kit, node)),
    tools: Object.fromEntries(tools.map((name) => [name, recordedSettings(kit, name)])),
    base: kit.base,
    // Plain data, whatever the user's rule objects are.
    policies: redactedCopy(kit.handler.policies, { redact: kit.redact }) as readonly unknown[],
    circuits: Object.fromEntries(tools.flatMap((name) => touchedCircuit(kit, name))),
  };
}

function planned(kit: ServiceKit, { callId, dependsOn, call }: PlanNode): PlannedCallRecord {
  const record: Mutable<PlannedCallRecord> = { call_id: callId, tool_id: call.toolName, depends_on: dependsOn };
  if (call.optional) record.optional = true;
  if (call.critical) record.critical = true;
  if (call.defaults) record.defaults = Object.keys(call.defaults);
  if (call.policy) record.policy = withRedactedFallback(kit, call.policy);
  return record;
}

/** A fallback value may hold anything; everything else of the settings is plain. */
function recordedSettings(kit: ServiceKit, name: string): ToolSettings | undefined {
  const settings = kit.runtimeOf(name)?.settings;
  return settings && withRedactedFallback(kit, settings);
}

function withRedactedFallback<T extends Pick<ToolPolicy, 'fallback'>>({ redact }: ServiceKit, settings: T): T {
  return settings.fallback ? { ...settings, fallback: { value: redactedCopy(settings.fallback.value, { redact }) } } : { ...settings };
}

/** The tools of the plan and their alternatives, by name. */
export function toolsOf(kit: ServiceKit, graph: PlanGraph): readonly string[] {
  const all = new Set<string>();
  const looked = new Set<string>();
  for (const { call } of graph.nodes) {
    if (!call.policy && looked.has(call.toolName)) continue;
    if (!call.policy) looked.add(call.toolName);
    all.add(call.toolName);
    for (const name of call.policy?.alternatives ?? kit.runtimeOf(call.toolName)?.settings.alternatives ?? []) all.add(name);
  }
  return [...all].filter((name) => kit.runtimeOf(name)).toSorted();
}

/** Breakers that are as new need no record. */
function touchedCircuit(kit: ServiceKit, name: string): readonly (readonly [string, CircuitSnapshot])[] {
  const gate = kit.runtimeOf(name)?.gate;
  if (!gate) return [];
  const { breaker } = gate;
  const pristine = breaker.state === 'closed' && breaker.failureCount === 0 && breaker.mode === 'auto' && breaker.window === undefined;
  return pristine ? [] : [[name, save(gate, { now: kit.system.now(), nowEpochMs: kit.system.epochMs() })]];
}
