/**
 * Owns the public face of the engine (docs/specification.md#s4-methods): calls, batches and turns in, results out; metrics, health and manual control beside.
 *
 * Invariants
 * 1. `executeTool`, `executeToolBatch` and `executeTurn` never throw and never reject; what they were given decides only what the results say (docs/specification.md#s3).
 * 2. A batch returns exactly one result per call, in call order, also when call ids repeat or are missing.
 */
import type { CircuitCommand } from '../../engine/breaker/types.ts';
import type { ToolHealth } from '../../engine/admission/types.ts';
import { control } from '../../engine/admission/gate-control.ts';
import { health } from '../../engine/admission/health.ts';
import { internalFault } from '../../engine/call/fault.ts';
import { describeError } from '../../engine/classify/describe-error.ts';
import type { ToolResult } from '../../engine/call/result.ts';
import type { MetricsFold, ToolMetrics } from '../../projections/tool-metrics.ts';
import { wakeWaiters } from '../drivers/gate-alarm.ts';
import { transitionEvent } from '../drivers/transition-event.ts';
import type { ToolPolicy, ToolSettings } from '../../engine/settings/settings.ts';
import { checkToolPolicy } from '../../engine/settings/validate.ts';
import type { AnyTool } from '../../engine/tool/tool.ts';
import type { TraceEvent } from '../../engine/trace/events.ts';
import { TurnTrace } from '../../engine/trace/turn-trace.ts';
import type { TurnPlan } from '../../engine/turn/plan.ts';
import type { TurnReport } from '../../engine/turn/report.ts';
import type { TraceListener } from './event-hub.ts';
import { runBatch } from './batch.ts';
import { setInside } from './internals.ts';
import { crashFault, failedResult } from './single-call.ts';
import type { ToolExecutionServiceOptions } from './options.ts';
import type { ExecuteOptions } from './execute-options.ts';
import { readLimit } from './execute-options.ts';
import type { ResponseMatch } from './response-match.ts';
import { matchResponses } from './response-match.ts';
import { readTurn, unrunTurn } from './read-turn.ts';
import { assembleService } from './assemble.ts';
import type { ServiceParts } from './assemble.ts';
import type { CallOf, OutputOfTool, ReadCall, ResultsOf, RunTimeCall, ToolCall } from './tool-call.ts';
import { readCall, readCalls } from './tool-call.ts';
import { runTurn } from './turn-execution.ts';

/** A turn's report with its trace. */
export interface TurnResult extends TurnReport {
  readonly trace: readonly TraceEvent[];
  /** Why the plan could not be run; absent when it was. */
  readonly problems?: readonly string[];
}

/** Runs tool calls so that each ends in a structured result. */
export class ToolExecutionService<const Tools extends readonly AnyTool[] = readonly AnyTool[]> {
  readonly #parts: ServiceParts;

  /** @throws TypeError | RangeError when an option cannot be used; names it, its value and the mend. */
  constructor(options: ToolExecutionServiceOptions<Tools>) {
    this.#parts = assembleService(options);
    setInside(this, this.#parts.kit);
  }

  /** Runs one call. */
  executeTool<Call extends CallOf<Tools>>(call: Call, options?: ExecuteOptions): Promise<ToolResult<OutputOfTool<Tools, Call['toolName']>>>;
  /** Runs one call that only run time knows, such as a model's. */
  executeTool<Name extends string>(call: RunTimeCall<Tools, Name>, options?: ExecuteOptions): Promise<ToolResult>;
  executeTool(call: ToolCall, options?: ExecuteOptions): Promise<ToolResult> {
    const { kit, loneCalls } = this.#parts;
    const read = readCall(call, 0);
    let settle: (result: ToolResult) => void = ignore;
    const settled = new Promise<ToolResult>((resolve) => {
      settle = resolve;
    });
    try {
      if (read.problem === undefined) loneCalls.run(read, readLimit(options), options?.signal, settle);
      else settle(failedResult(read, internalFault('INVALID_CALL', kit.redact(read.problem))));
    } catch (error) {
      settle(failedResult(read, crashFault(error, kit.redact)));
    }
    return settled;
  }

  /** Runs calls that have nothing to do with each other, in parallel, under the turn settings. One result per call, in call order. */
  executeToolBatch<const Calls extends readonly CallOf<Tools>[]>(calls: Calls, options?: ExecuteOptions): Promise<ResultsOf<Tools, Calls>>;
  /** Runs calls that only run time knows, such as a model's. */
  executeToolBatch<Name extends string>(
    calls: readonly RunTimeCall<Tools, Name>[],
    options?: ExecuteOptions,
  ): Promise<readonly ToolResult[]>;
  async executeToolBatch(calls: readonly ToolCall[], options?: ExecuteOptions): Promise<readonly ToolResult[]> {
    const { kit } = this.#parts;
    const startedAt = kit.system.now();
    let read: readonly ReadCall[] = [];
    try {
      read = readCalls(calls);
      const results = await runBatch(kit, read, { limit: readLimit(options), signal: options?.signal, startedAt });
      let next = 0;
      return read.map((call) => {
        if (call.problem !== undefined) return failedResult(call, internalFault('INVALID_CALL', kit.redact(call.problem)));
        return results[next++] ?? failedResult(call, crashFault(new Error('no result'), kit.redact));
      });
    } catch (error) {
      return read.map((call) => failedResult(call, crashFault(error, kit.redact)));
    }
  }

  /** Runs a plan: calls that depend on each other, under one soft deadline. A plan that cannot be run comes back with `problems`; nothing of it was run. */
  async executeTurn(plan: TurnPlan, options?: ExecuteOptions): Promise<TurnResult> {
    const { kit } = this.#parts;
    const startedAt = kit.system.now();
    const read = readTurn(kit, plan, options);
    if (!read.ok) return read.turn;
    const { turnId, graph, settings, calls } = read;
    try {
      const trace = new TurnTrace({ turnId, startedAt, timestamp: kit.datedFromNow(), sink: kit.hub.publish });
      const report = await runTurn(kit, {
        turnId,
        trace,
        graph,
        settings,
        signal: options?.signal,
        startedAt,
      });
      return { ...report, trace: trace.events };
    } catch (error) {
      return unrunTurn(turnId, calls, [kit.redact(describeError(error).message)]);
    }
  }

  /** Checks that results answer calls one to one (docs/specification.md#s4-validation), before they go back to a model. */
  validateResponseMatch(calls: readonly { readonly callId?: string }[], results: readonly { readonly callId?: string }[]): ResponseMatch {
    return matchResponses(calls, results);
  }

  /** Metrics of one tool; zeros for one that was never called. */
  getToolMetrics(toolName: string): ToolMetrics;
  /** Metrics of every tool that was called. */
  getToolMetrics(): ReadonlyMap<string, ToolMetrics>;
  getToolMetrics(toolName?: string): ToolMetrics | ReadonlyMap<string, ToolMetrics> {
    const metrics: MetricsFold = this.#parts.metrics;
    return toolName === undefined ? metrics.all() : metrics.of(toolName);
  }

  /** Closes a tool's circuit and forgets its failures; where it is shared with a fleet, the fleet's too. Nothing happens for a tool that does not exist. */
  resetCircuitBreaker(toolName: string): void {
    this.controlCircuit(toolName, 'reset');
  }

  /** Manual control: `forced_open`, `disabled`, `shadow` (count but never block), `auto`, `reset`. */
  controlCircuit(toolName: string, command: CircuitCommand): void {
    const { kit, controlTrace } = this.#parts;
    const runtime = kit.runtimeOf(toolName);
    if (!runtime) return;
    const now = kit.system.now();
    const change = control(runtime.gate, command, now);
    for (const transition of change.transitions) controlTrace.append(transitionEvent(toolName, transition), now);
    wakeWaiters(runtime, change, kit.system, now);
    this.#parts.saveCircuits();
    if (command === 'reset') kit.sharing?.reset(runtime);
  }

  /** What a tool's gate looks like now; `undefined` for a tool that does not exist. */
  getToolHealth(toolName: string): ToolHealth | undefined {
    const { kit } = this.#parts;
    const runtime = kit.runtimeOf(toolName);
    return runtime && health(runtime.gate, kit.system.now());
  }

  /** The settings a tool runs under, all layers merged. */
  getToolSettings(toolName: string): ToolSettings | undefined {
    return this.#parts.kit.runtimeOf(toolName)?.settings;
  }

  get tools(): readonly AnyTool[] {
    return this.#parts.toolSet.tools;
  }

  /**
   * Exchanges the tools while calls run. A tool that stays, by its name, keeps its circuit, limits and metrics and takes the new settings at once; a tool that is
   * new finds what the store remembers of it; one that is gone takes no new call, its calls under way go on. Whoever made a runner that is gone closes it.
   *
   * @param policy Settings of all tools, in place of those the service was made with. @default they stay
   * @throws TypeError | RangeError when a tool or a setting cannot be used; nothing has changed then.
   */
  replaceTools(tools: readonly AnyTool[], policy?: ToolPolicy): void {
    if (policy !== undefined) checkToolPolicy(policy, 'replaceTools');
    this.#parts.replaceTools(tools, policy);
  }

  /** The seed that reproduces this service's turns. */
  get seed(): string {
    return this.#parts.kit.seed;
  }

  /** Hears every trace event of every call, as it happens. Answers the way to stop. A listener that throws is left out from then on. */
  subscribe(listener: TraceListener): () => void {
    return this.#parts.kit.hub.subscribe(listener);
  }

  /** Brings back what the store kept: breaker states (a restart does not forget that a service is down) and, where the profile uses it, episodic memory. */
  async restore(): Promise<void> {
    await this.#parts.restore();
  }

  /**
   * Hands everything to the store and ends what the tools' runners hold open. Calls in flight go on; new ones may fail. Waits `closeTimeoutMs` at most; what
   * is not closed by then, or fails to close, `onFault` hears. Never rejects for it.
   */
  async close(): Promise<void> {
    await this.#parts.close();
  }
}

function ignore(): void {
  // Replaced before it can be called.
}
