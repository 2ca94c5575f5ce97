/** Owns the first event of a turn, which records everything its decisions depend on. */
import type { CircuitSnapshot } from '../../engine/breaker/types.ts';
import { save } from '../../engine/admission/gate-control.ts';
import { isPristine } from '../../engine/breaker/snapshot.ts';
import type { Mutable } from '../../engine/plain/mutable.ts';
import { redactedCopy, type Redactor } from '../../engine/plain/redact.ts';
import type { ReadRecoveryRule } from '../../engine/recover/recovery-rules.ts';
import type { ProfileName } from '../../engine/settings/profiles.ts';
import type { ToolPolicy, ToolSettings, TurnSettings } from '../../engine/settings/settings.ts';
import type { PlannedCallRecord, TurnStarted } from '../../engine/trace/events.ts';
import type { PlanGraph, PlannedCall, PlanNode } from '../../engine/turn/plan.ts';
import type { ServiceContext } from './service-context.ts';

/** What a turn's decisions depend on: from this process, or from the one where the turn began. */
export interface TurnFacts {
  readonly seed: string;
  readonly profile: ProfileName;
  readonly settings: TurnSettings;
  readonly base: ToolSettings;
  /** The tools of the plan and their alternatives, by name. */
  readonly tools: ReadonlyMap<string, ToolSettings>;
  /** The circuits that are not in their initial state. */
  readonly circuits: Readonly<Record<string, CircuitSnapshot>>;
}

export function turnFacts(context: ServiceContext, graph: PlanGraph, settings: TurnSettings): TurnFacts {
  const names = toolsOf(context, graph);
  const tools = new Map<string, ToolSettings>();
  for (const name of names) {
    const runtime = context.runtimeOf(name);
    if (runtime) tools.set(name, runtime.settings);
  }
  const circuits = Object.fromEntries(touchedCircuits(context, names));
  return { seed: context.seed, profile: context.profile, settings, base: context.base, tools, circuits };
}

export function turnStarted(
  context: ServiceContext,
  graph: PlanGraph,
  { seed, profile, settings, base, tools, circuits }: TurnFacts,
): TurnStarted {
  const { timeoutMs, concurrency, onDeadline, maxRetries } = settings;
  const partitions = partitionsOf(context, tools.keys());
  return {
    event_type: 'TurnStarted',
    seed,
    profile,
    timeout_ms: timeoutMs,
    concurrency,
    on_deadline: onDeadline,
    max_retries: maxRetries,
    calls: graph.nodes.map((node) => recordCall(context, node)),
    tools: Object.fromEntries([...tools].map(([name, own]) => [name, withRedactedFallback(context, own)])),
    base,
    recovery_rules: recordRules(context),
    circuits,
    ...(partitions && { partitions }),
  };
}

/** `undefined`: the tools' own gates are used. */
export function partitionsOf(context: ServiceContext, names: Iterable<string>): Readonly<Record<string, string>> | undefined {
  if (!context.partitionsOf) return undefined;
  const found = [...names].flatMap((name) => {
    const { partition } = context.lastingRuntimeOf(name) ?? {};
    return partition ? [[name, partition]] : [];
  });
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

export function recordRules({ handler, redact }: ServiceContext): readonly ReadRecoveryRule[] {
  return handler.recoveryRules.map((rule) => recordRule(rule, redact));
}

/** A copy, complete so that a replay has the same rules. */
function recordRule(rule: ReadRecoveryRule, redact: Redactor): ReadRecoveryRule {
  const copy = JSON.parse(JSON.stringify(rule)) as ReadRecoveryRule;
  return { ...copy, name: redact(rule.name), ...(rule.reason === undefined ? {} : { reason: redact(rule.reason) }) };
}

function recordCall(context: ServiceContext, { callId, dependsOn, call }: PlanNode): PlannedCallRecord {
  const record: Mutable<PlannedCallRecord> = { call_id: callId, tool_id: call.toolName, depends_on: dependsOn };
  if (call.optional) record.optional = true;
  if (call.critical) record.critical = true;
  if (call.defaults) record.defaults = Object.keys(call.defaults);
  if (call.policy) record.policy = withRedactedFallback(context, call.policy);
  return record;
}

/** A fallback value may hold anything; the rest of the settings is plain. */
export function withRedactedFallback<T extends Pick<ToolPolicy, 'fallback'>>({ redact }: ServiceContext, settings: T): T {
  return settings.fallback ? { ...settings, fallback: { value: redactedCopy(settings.fallback.value, { redact }) } } : { ...settings };
}

/** The tools of the plan and their alternatives, by name. */
function toolsOf(context: ServiceContext, graph: PlanGraph): readonly string[] {
  const all = new Set<string>();
  const looked = new Set<string>();
  for (const { call } of graph.nodes) {
    if (!call.policy && looked.has(call.toolName)) continue;
    if (!call.policy) looked.add(call.toolName);
    for (const name of toolsOfCall(context, call)) all.add(name);
  }
  return [...all].toSorted();
}

/** The tool of a call and its alternatives, if they exist. */
export function toolsOfCall(context: ServiceContext, { toolName, policy }: Pick<PlannedCall, 'toolName' | 'policy'>): readonly string[] {
  const alternatives = policy?.alternatives ?? context.runtimeOf(toolName)?.settings.alternatives ?? [];
  return [toolName, ...alternatives].filter((name) => context.runtimeOf(name));
}

export function touchedCircuits(context: ServiceContext, names: readonly string[]): readonly (readonly [string, CircuitSnapshot])[] {
  return names.flatMap((name) => touchedCircuit(context, name));
}

/** Breakers in their initial state need no record. */
function touchedCircuit(context: ServiceContext, name: string): readonly (readonly [string, CircuitSnapshot])[] {
  const { gate, partition } = context.lastingRuntimeOf(name) ?? {};
  if (!gate || isPristine(gate.breaker)) return [];
  const snapshot = save(gate, { now: context.system.now(), nowEpochMs: context.system.epochMs() });
  return [[name, partition ? { ...snapshot, partition } : snapshot]];
}
