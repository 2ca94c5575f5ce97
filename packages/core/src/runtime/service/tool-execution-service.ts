/**
 * Owns the public interface of the engine (docs/specification.md#s4-methods): calls, batches and turns in, results out; metrics, health, manual control.
 *
 * Invariants
 * 1. `executeTool`, `executeToolBatch` and `executeTurn` never throw and never reject; invalid input is reported in the results (docs/specification.md#s3).
 * 2. A batch returns exactly one result per call, in call order, also when call ids repeat or are missing.
 */
import type { CircuitCommand } from '../../engine/breaker/types.ts';
import type { ErrorHandler } from '../../engine/recover/error-handler.ts';
import type { ToolHealth } from '../../engine/admission/types.ts';
import { control } from '../../engine/admission/gate-control.ts';
import { health } from '../../engine/admission/health.ts';
import { internalFault } from '../../engine/call/fault.ts';
import { describeError } from '../../engine/classify/describe-error.ts';
import { callSafely } from '../../engine/plain/call-safely.ts';
import type { Mutable } from '../../engine/plain/mutable.ts';
import type { ToolResult } from '../../engine/call/result.ts';
import type { MetricsFold, ToolMetrics } from '../../projections/tool-metrics.ts';
import type { ToolPolicy, ToolSettings } from '../../engine/settings/settings.ts';
import { checkToolPolicy } from '../../engine/settings/validate.ts';
import { checkRule } from '../../engine/settings/check.ts';
import type { AnyTool } from '../../engine/tool/tool.ts';
import type { TraceEvent } from '../../engine/trace/events.ts';
import { TurnTrace } from '../../engine/trace/turn-trace.ts';
import type { TurnPlan } from '../../engine/turn/plan.ts';
import type { TurnReport } from '../../engine/turn/report.ts';
import type { TraceListener } from './event-hub.ts';
import { runBatch } from './batch.ts';
import { setInternals } from './internals.ts';
import { contextFor } from './partitions.ts';
import { crashFault, failedResult, SingleCalls } from './single-call.ts';
import type { ToolExecutionServiceOptions } from './options.ts';
import type { ExecuteOptions } from './execute-options.ts';
import { readOptions } from './execute-options.ts';
import type { ResponseMatch } from './response-match.ts';
import { matchResponses } from './response-match.ts';
import { readTurn, unrunTurn } from './read-turn.ts';
import { assembleService } from './assemble.ts';
import type { ServiceParts } from './assemble.ts';
import type { CallOf, OutputOfTool, ReadCall, ResultsOf, RunTimeCall, ToolCall } from './tool-call.ts';
import { checkEverKnown, readCall, readCalls } from './tool-call.ts';
import { runTurn } from './turn-execution.ts';
import { checkExchangeFailure, validationFailed, type ExchangeFailure } from './exchange-failure.ts';

/** A turn's report with its trace. */
export interface TurnResult extends TurnReport {
  /** The events of the turn, oldest first; late work may add to them. Empty when the plan could not be run. */
  readonly trace: readonly TraceEvent[];
  /** Why the plan could not be run; absent when it was. */
  readonly problems?: readonly string[];
}

/** Runs tool calls so that each ends in a structured result. */
export class ToolExecutionService<const Tools extends readonly AnyTool[] = readonly AnyTool[]> {
  readonly #parts: ServiceParts;

  /** @throws TypeError | RangeError for an invalid option, naming it, its value and the fix. */
  constructor(options: ToolExecutionServiceOptions<Tools>) {
    this.#parts = assembleService(options);
    setInternals(this, this.#parts.context);
  }

  /** Runs one call. */
  executeTool<Call extends CallOf<Tools>>(call: Call, options?: ExecuteOptions): Promise<ToolResult<OutputOfTool<Tools, Call['toolName']>>>;
  /** Runs one call that is known only at run time, such as a model's. */
  executeTool<Name extends string>(call: RunTimeCall<Tools, Name>, options?: ExecuteOptions): Promise<ToolResult>;
  executeTool(call: ToolCall, options?: ExecuteOptions): Promise<ToolResult> {
    const { context, singleCalls } = this.#parts;
    const read = readCall(call, 0, context);
    const { problem: wrongOption, timeoutMs, signal } = readOptions(options, "executeTool's options");
    const problem = read.problem ?? wrongOption;
    let settle: (result: ToolResult) => void = ignore;
    const settled = new Promise<ToolResult>((resolve) => {
      settle = resolve;
    });
    try {
      const own = contextFor(context, read.callId);
      if (problem === undefined) (own === context ? singleCalls : new SingleCalls(own)).run(read, timeoutMs, signal, settle);
      else settle(invalidCall(read, problem, context));
    } catch (error) {
      settle(failedResult(read, crashFault(error, context.redact)));
    }
    return settled;
  }

  /** Runs independent calls in parallel, under the turn settings. One result per call, in call order. */
  executeToolBatch<const Calls extends readonly CallOf<Tools>[]>(calls: Calls, options?: ExecuteOptions): Promise<ResultsOf<Tools, Calls>>;
  /** Runs calls that are known only at run time, such as a model's. */
  executeToolBatch<Name extends string>(
    calls: readonly RunTimeCall<Tools, Name>[],
    options?: ExecuteOptions,
  ): Promise<readonly ToolResult[]>;
  async executeToolBatch(calls: readonly ToolCall[], options?: ExecuteOptions): Promise<readonly ToolResult[]> {
    const { context } = this.#parts;
    const startedAt = context.system.now();
    let read: readonly ReadCall[] = [];
    try {
      const { problem, timeoutMs, signal } = readOptions(options, "executeToolBatch's options");
      read = readCalls(calls, context);
      if (problem !== undefined) return read.map((call) => invalidCall(call, call.problem ?? problem, context));
      const results = await runBatch(context, read, { limit: timeoutMs, signal, startedAt });
      let next = 0;
      return read.map((call) => {
        if (call.problem !== undefined) return invalidCall(call, call.problem, context);
        return results[next++] ?? failedResult(call, crashFault(new Error('no result'), context.redact));
      });
    } catch (error) {
      return read.map((call) => failedResult(call, crashFault(error, context.redact)));
    }
  }

  /** Runs a plan: calls that depend on each other, under one soft deadline. A plan that cannot run comes back with `problems`; none of its calls ran. */
  async executeTurn(plan: TurnPlan, options?: ExecuteOptions): Promise<TurnResult> {
    const { context } = this.#parts;
    const startedAt = context.system.now();
    const read = readTurn(context, plan, options);
    if (!read.ok) return read.turn;
    const { turnId, graph, settings, calls } = read;
    try {
      const trace = new TurnTrace({ turnId, startedAt, timestamp: context.datedFromNow(), sink: context.hub.publish });
      const report = await runTurn(contextFor(context, turnId), {
        turnId,
        trace,
        graph,
        settings,
        signal: read.signal,
        startedAt,
      });
      return { ...report, trace: trace.events };
    } catch (error) {
      return unrunTurn(turnId, calls, [context.redact(describeError(error).message)]);
    }
  }

  /** Checks that there is exactly one result for each call (docs/specification.md#s4-validation), before they go back to a model. Never throws. */
  validateResponseMatch(calls: readonly { readonly callId?: string }[], results: readonly { readonly callId?: string }[]): ResponseMatch {
    try {
      return matchResponses(calls, results);
    } catch (error) {
      const problem = this.#parts.context.redact(`The calls or results cannot be read: ${describeError(error).message}`);
      return { matches: false, missing: [], unexpected: [], reordered: false, problems: [problem] };
    }
  }

  /**
   * Records that a request to a model or its response failed validation, so that metrics and alerts count it (docs/specification.md#s4-alerts).
   * `ResponseValidationMiddleware`, `guardFetch` and the adapters call it for the `service` that they are given. Records nothing without problems.
   *
   * @throws TypeError | RangeError for a failure that cannot be read
   */
  recordValidationFailure(failure: ExchangeFailure): void {
    checkExchangeFailure(failure);
    const { context, controlTrace } = this.#parts;
    callSafely(() => {
      if (failure.problems.length > 0) controlTrace.append(validationFailed(failure, context.redact), context.system.now());
    }, ignore);
  }

  /** Metrics of one tool; zeros for one that was never called. @throws TypeError | RangeError for a tool that never existed */
  getToolMetrics(toolName: string): ToolMetrics;
  /** Metrics of every tool that was called. */
  getToolMetrics(): ReadonlyMap<string, ToolMetrics>;
  getToolMetrics(toolName?: string): ToolMetrics | ReadonlyMap<string, ToolMetrics> {
    const metrics: MetricsFold = this.#parts.metrics;
    if (toolName === undefined) return metrics.all();
    checkEverKnown(this.#parts.context, toolName, 'getToolMetrics');
    return metrics.of(toolName);
  }

  /** Closes a tool's circuit and clears its failures; where it is shared with a fleet, the fleet's too. @throws TypeError | RangeError for a tool that never existed */
  resetCircuitBreaker(toolName: string): void {
    this.controlCircuit(toolName, 'reset');
  }

  /**
   * Manual control: `forced_open`, `disabled`, `shadow` (count but never block), `auto`, `reset`. Does nothing for a tool that was removed.
   *
   * @param partition Whose circuit. @default the tool's own and those of all partitions
   * @throws TypeError | RangeError for a tool that never existed, or an unknown command
   */
  controlCircuit(toolName: string, command: CircuitCommand, partition?: string): void {
    const { context, publishChanges } = this.#parts;
    checkEverKnown(context, toolName, command === 'reset' ? 'resetCircuitBreaker' : 'controlCircuit');
    const runtime = context.runtimeOf(toolName);
    if (!runtime) return;
    const now = context.system.now();
    const gates = partition ? [context.partition(runtime, partition, true)] : [...runtime.peers.values()];
    publishChanges(gates.map((own) => ({ runtime: own, change: control(own.gate, command, now) })));
    if (partition) return;
    this.#parts.saveCircuits();
    if (command === 'reset') context.sharing?.reset(runtime);
  }

  /** The current state of a tool's gate, or of its gate for a partition; `undefined` for a tool that does not exist. */
  getToolHealth(toolName: string, partition?: string): ToolHealth | undefined {
    const { context, metrics } = this.#parts;
    const runtime = context.runtimeOf(toolName);
    if (!runtime) return undefined;
    const { gate, peers } = partition ? context.partition(runtime, partition, false) : runtime;
    const state: Mutable<ToolHealth> = health(gate, context.system.now());
    if (partition) return state;
    const lastFailureEpochMs = metrics.lastFailureOf(toolName);
    if (lastFailureEpochMs !== undefined) state.lastFailureEpochMs = lastFailureEpochMs;
    if (peers.size > 1) state.partitions = [...peers.keys()].slice(1);
    return state;
  }

  /** The settings a tool runs under, with all layers merged. */
  getToolSettings(toolName: string): ToolSettings | undefined {
    return this.#parts.context.runtimeOf(toolName)?.settings;
  }

  /** The tools that can be called now, as given to the constructor or to `replaceTools`. */
  get tools(): readonly AnyTool[] {
    return this.#parts.toolSet.tools;
  }

  /**
   * Replaces the tools while calls run. A tool that keeps its name keeps its circuit, limits and metrics and gets the new settings at once; a new tool gets the
   * circuit that the store has for it; a removed tool accepts no new calls, and its calls in flight continue. The caller closes the runners of removed tools.
   *
   * @param policy Replaces the settings of all tools that the service was created with. @default unchanged
   * @throws TypeError | RangeError when a tool or a setting is invalid; nothing has changed then.
   */
  replaceTools(tools: readonly AnyTool[], policy?: ToolPolicy): void {
    if (policy !== undefined) checkToolPolicy(policy, 'replaceTools: policy');
    this.#parts.replaceTools(tools, policy);
  }

  /**
   * Does the part of the next `replaceTools` that takes long, with the same policy. A service of thousands of tools prepares some of them at a time, so that
   * calls continue in between.
   *
   * @throws TypeError | RangeError when a tool or a setting is invalid.
   */
  prepareTools(tools: readonly AnyTool[], policy?: ToolPolicy): void {
    if (policy !== undefined) checkToolPolicy(policy, 'prepareTools: policy');
    this.#parts.toolSet.prepare(tools, policy);
  }

  /** The seed that reproduces this service's turns. */
  get seed(): string {
    return this.#parts.context.seed;
  }

  /** Decides about every failure of this service; its inbox has the latest ones, and `subscribe` reports each (docs/specification.md#s0-6-1). */
  get errorHandler(): ErrorHandler {
    return this.#parts.context.handler;
  }

  /**
   * Calls `listener` for every trace event, as it happens. Returns a function that ends the subscription. A listener that throws is removed.
   *
   * @throws TypeError if it is not a function
   */
  subscribe(listener: TraceListener): () => void {
    checkRule('function', listener, 'subscribe: listener');
    return this.#parts.context.hub.subscribe(listener);
  }

  /** Restores what the store kept: the states of circuits (so that a restart knows that a service is down) and, where it is used, episodic memory. */
  async restore(): Promise<void> {
    await this.#parts.restore();
  }

  /**
   * Flushes the store and closes the tools' runners. Calls in flight continue; new ones may fail. Waits at most `closeTimeoutMs`; `onFault` reports what is
   * not closed by then, or fails to close. Never rejects because of it.
   */
  async close(): Promise<void> {
    await this.#parts.close();
  }
}

/** The result of a call that cannot be read, or has options that cannot be. */
function invalidCall(call: ReadCall, problem: string, { redact }: ServiceParts['context']): ToolResult {
  return failedResult(call, internalFault('INVALID_CALL', redact(problem)));
}

function ignore(): void {
  // Nothing is left to do: the call is not running yet, or the failure has no effect.
}
