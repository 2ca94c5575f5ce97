/**
 * Owns what a service keeps per tool during its lifetime: the tool, its settings, gate, compiled rules, validators and waiters.
 */
import type { GateSettings } from '../../engine/admission/types.ts';
import { Gate } from '../../engine/admission/gate-state.ts';
import { LatencyWindow } from '../../engine/admission/hedging.ts';
import type { BreakerSettings } from '../../engine/breaker/types.ts';
import type { CompiledRule } from '../../engine/classify/rules.ts';
import { compileRules } from '../../engine/classify/rules.ts';
import type { JsonSchemaCompiler, Validator } from '../../engine/schema/validator.ts';
import { createValidator } from '../../engine/schema/validator.ts';
import { resolveSettings } from '../../engine/settings/resolve.ts';
import type { ToolPolicy, ToolSettings } from '../../engine/settings/settings.ts';
import type { CallRun } from './host.ts';
import type { Runner } from '../../engine/tool/runner.ts';
import type { AnyTool } from '../../engine/tool/tool.ts';

/** The timer of a gate. Kept with the gate, since one turn may set it and another change it. */
interface GateAlarm {
  set: { readonly at: number; readonly clear: () => void } | undefined;
}

/** A gate of a tool, with its calls. It outlives a change of the tool's settings. */
export interface ToolGate {
  readonly name: string;
  /** The partition whose calls the gate admits. @default calls without one */
  readonly partition?: string | undefined;
  readonly gate: Gate;
  /** By ticket: calls that wait at the gate. */
  readonly waiters: Map<number, () => void>;
  readonly alarm: GateAlarm;
  /** Calls that wait for the delay before a retry; see `endDelays`. */
  readonly delayedCalls: Map<CallRun, () => void>;
  readonly latency: LatencyWindow;
  /** All gates of the tool: its own, as `''`, then those of partitions by name, the one that was used last at the end. */
  readonly peers: Map<string, ToolGate>;
}

export interface GatedTool extends ToolGate {
  readonly enabled: boolean;
  readonly settings: ToolSettings;
}

export interface ToolRuntime extends GatedTool {
  readonly tool: AnyTool;
  /** The tool's runner, wrapped in the service's middleware. */
  readonly run: Runner<unknown>;
  readonly rules: readonly CompiledRule[];
  readonly validateInput: Validator | undefined;
  readonly validateOutput: Validator | undefined;
}

export interface ToolRuntimeOptions {
  readonly base: ToolSettings;
  readonly policy: ToolPolicy | undefined;
  readonly wrap: (run: Runner<unknown>) => Runner<unknown>;
  readonly compileJsonSchema: JsonSchemaCompiler | undefined;
}

export function createToolRuntime(tool: AnyTool, { base, policy, wrap, compileJsonSchema }: ToolRuntimeOptions): ToolRuntime {
  return {
    ...createGatedTool(tool.name, resolveSettings(resolveSettings(base, policy), tool.policy)),
    tool,
    enabled: tool.enabled,
    run: wrap(tool.run as Runner<unknown>),
    rules: compileRules(tool.classification),
    validateInput: tool.input && createValidator(tool.input, compileJsonSchema),
    validateOutput: tool.output && createValidator(tool.output, compileJsonSchema),
  };
}

/** The settings that a tool's gate needs. */
export function createGatedTool(name: string, settings: ToolSettings): GatedTool {
  const own = toolGate(name, new Gate(gateSettings(settings), `Tool '${name}'.`), new Map());
  own.peers.set('', own);
  return { enabled: true, settings, ...own };
}

/** The gate of a partition, which is created where there is none yet. */
export function partitionOf(tool: ToolGate, name: string): ToolGate {
  return tool.peers.get(name) ?? createPartition(tool, name);
}

/** Keeps the tool's limits together with its other gates. An operator's command applies to it too. */
function createPartition({ name, gate, peers }: ToolGate, partition: string): ToolGate {
  const own = toolGate(name, new Gate(gate.settings, '', gate), peers, partition);
  own.gate.breaker.mode = gate.breaker.mode;
  return own;
}

function toolGate(name: string, gate: Gate, peers: Map<string, ToolGate>, partition?: string): ToolGate {
  return {
    name,
    partition,
    gate,
    waiters: new Map(),
    alarm: { set: undefined },
    delayedCalls: new Map(),
    latency: new LatencyWindow(),
    peers,
  };
}

function gateSettings({ breaker, concurrency, rateLimit, retryBudget, waitForRecovery = false }: ToolSettings): GateSettings {
  return { breaker: breaker && withoutCount(breaker), concurrency, rateLimit, retryBudget, waitForRecovery: waitForRecovery !== false };
}

/** The call machine decides which failures count, not the breaker. */
function withoutCount({ count: _count, ...breaker }: Exclude<ToolSettings['breaker'], false>): BreakerSettings {
  return breaker;
}
