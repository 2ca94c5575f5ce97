/**
 * Owns the measurements that the events of calls and turns add to the instruments.
 *
 * Invariants
 * 1. A recovered call is no error, as on its span: `error.type` is set only if the result is a failure.
 * 2. The duration of a call is the duration of its span.
 */
import type { CircuitState, TraceEvent } from '@holdfast/core';
import type { Attributes } from '@opentelemetry/api';
import { attribute } from '../semconv.ts';
import { errorTypeOf, turnErrorType } from '../spans/error-type.ts';
import type { Agent } from '../spans/options.ts';
import type { Instruments } from './instruments.ts';
import { Series } from './series.ts';

type Of<Type extends TraceEvent['event_type']> = Extract<TraceEvent, { readonly event_type: Type }>;

/** The state of a call with failed attempts; a call that succeeds at once has none. */
interface Trouble {
  /** Of the last failure. */
  code: string;
  status: number | undefined;
  /** The running alternative, and since when. */
  alternative: string | undefined;
  since: number;
}

/** Bounds the memory for turns that never end. */
const TROUBLES = 10_000;

/** The meter provider, and which tools are known. */
export interface MetricsFoldOptions {
  readonly instruments: () => Instruments | undefined;
  readonly isKnown: (toolName: string) => boolean;
  readonly agent: Agent | undefined;
}

/** Records the metrics of one service's events. */
export class MetricsFold {
  readonly #find: () => Instruments | undefined;
  /** Called when a call or turn begins. */
  #instruments: Instruments | undefined;
  readonly #series: Series;
  readonly #agent: Attributes | undefined;
  readonly #circuits = new Map<string, CircuitState>();
  readonly #troubles = new Map<string, Trouble>();
  readonly #turns = new Map<string, number>();
  /** Tools of MCP servers. */
  readonly mcpTools: Set<string> = new Set();

  constructor({ instruments, isKnown, agent }: MetricsFoldOptions) {
    this.#find = instruments;
    this.#series = new Series(isKnown);
    this.#agent = agent && { [attribute.agentName]: agent.name };
  }

  /** At the start of a call or turn: the application may have set its meter provider. Returns whether there is one. */
  refresh(): boolean {
    this.#instruments = this.#find();
    return this.#instruments !== undefined;
  }

  /** Records what one event adds to the metrics. */
  observe(event: TraceEvent): void {
    switch (event.event_type) {
      case 'AttemptStarted':
        return this.#seeCircuit(event.tool_id, event.circuit_breaker_state);
      case 'ToolSucceeded':
        return this.#attempt(event.tool_id, event.duration_ms, undefined);
      case 'ToolError':
        return this.#countFailure(event);
      case 'RetryScheduled':
        return this.#countRetry(event);
      case 'CallRefused':
        return this.#countRefusal(event);
      case 'AlternativeUsed':
        return this.#alternative(event);
      case 'CallCompleted':
        return this.#countCompletion(event);
      case 'LateResult':
        return this.#countLateResult(event.tool_id, event.result);
      case 'AttemptAbandoned':
        return this.#countLateResult(event.tool_id, 'abandoned');
      case 'CircuitBreakerOpened':
        return this.#circuit(event, 'open');
      case 'CircuitBreakerHalfOpened':
        return this.#circuit(event, 'half_open');
      case 'CircuitBreakerClosed':
        return this.#circuit(event, 'closed');
      case 'TurnStarted':
        if (this.#agent && this.#instruments) this.#turns.set(event.turn_id, event.calls.length);
        return;
      case 'TurnCompleted':
        return this.#countTurn(event);
      default:
    }
  }

  #attempt(tool: string, durationMs: number, errorType: string | undefined): void {
    const instruments = this.#instruments;
    if (!instruments) return;
    instruments.attemptDuration(durationMs / 1_000, this.#series.outcome(tool, errorType));
    if (this.mcpTools.size === 0 || !this.mcpTools.has(tool)) return;
    const attributes = { [attribute.mcpMethod]: 'tools/call', ...this.#series.outcome(tool, errorType) };
    instruments.mcpDuration(durationMs / 1_000, attributes);
  }

  #countFailure({ turn_id, call_id, tool_id, attempt, code, status, duration_ms }: Of<'ToolError'>): void {
    const trouble = this.#troubleOf(turn_id, call_id);
    trouble.code = code;
    trouble.status = status;
    if (attempt > 0) this.#attempt(tool_id, duration_ms, errorTypeOf(code, status));
  }

  #countRefusal({ turn_id, call_id, tool_id, code, circuit_breaker_state, partition }: Of<'CallRefused'>): void {
    if (partition === undefined) this.#seeCircuit(tool_id, circuit_breaker_state);
    const trouble = this.#troubleOf(turn_id, call_id);
    trouble.code = code;
    trouble.status = undefined;
    this.#instruments?.refusals(1, this.#series.outcome(tool_id, errorTypeOf(code)));
  }

  #countRetry({ turn_id, call_id, tool_id, delay_ms }: Of<'RetryScheduled'>): void {
    const { code, status } = this.#troubleOf(turn_id, call_id);
    const instruments = this.#instruments;
    if (!instruments) return;
    instruments.retries(1, this.#series.outcome(tool_id, errorTypeOf(code, status)));
    if (Number.isFinite(delay_ms)) instruments.backoff(delay_ms / 1_000, this.#series.of(tool_id).plain);
  }

  #alternative({ turn_id, call_id, tool_id, alternative, elapsed_ms }: Of<'AlternativeUsed'>): void {
    const trouble = this.#troubleOf(turn_id, call_id);
    this.#endAlternative(trouble, elapsed_ms, false);
    trouble.alternative = alternative;
    trouble.since = elapsed_ms;
    const name = this.#series.name(alternative);
    this.#instruments?.alternatives(1, this.#series.of(tool_id).with(attribute.alternative, name));
  }

  #endAlternative({ alternative, since, code, status }: Trouble, elapsedMs: number, succeeded: boolean): void {
    if (alternative === undefined) return;
    const attributes = this.#series.outcome(alternative, succeeded ? undefined : errorTypeOf(code, status));
    this.#instruments?.callDuration((elapsedMs - since) / 1_000, attributes);
  }

  #countCompletion(event: Of<'CallCompleted'>): void {
    const { turn_id, call_id, tool_id, status, code = 'TOOL_ERROR' } = event;
    const instruments = this.#instruments;
    if (!instruments) return;
    if (event.skipped) return instruments.skipped(1, this.#series.of(tool_id).plain);
    const key = `${turn_id}/${call_id}`;
    const trouble = this.#troubles.size === 0 ? undefined : this.#troubles.get(key);
    if (trouble) {
      this.#troubles.delete(key);
      this.#endAlternative(trouble, event.elapsed_ms, status === 'success');
    }
    const errorType = status === 'success' ? undefined : errorTypeOf(code, trouble?.code === code ? trouble.status : undefined);
    const outcome = this.#series.outcome(tool_id, errorType);
    const series = this.#series.of(tool_id);
    instruments.callDuration(event.execution_time_ms / 1_000, outcome);
    if (event.attempts > 1) instruments.retriedCalls(1, outcome);
    if (event.stopped_by) instruments.retriesStopped(1, series.with(attribute.reason, event.stopped_by));
  }

  #countLateResult(tool: string, outcome: string): void {
    this.#instruments?.lateResults(1, this.#series.of(tool).with(attribute.attemptOutcome, outcome));
  }

  /** The first event of a circuit only shows its state. */
  #seeCircuit(tool: string, state: CircuitState): void {
    if (this.#circuits.has(tool)) return;
    this.#circuits.set(tool, state);
    this.#instruments?.circuitStatus(1, this.#series.of(tool).with(attribute.circuitState, state));
  }

  /** The status is that of the tool's own circuit. */
  #circuit({ tool_id: tool, partition }: Of<`CircuitBreaker${'Opened' | 'HalfOpened' | 'Closed'}`>, state: CircuitState): void {
    const series = this.#series.of(tool);
    const instruments = this.#instruments;
    if (!instruments) return;
    const before = this.#circuits.get(tool);
    instruments.circuitTransitions(1, series.with(attribute.circuitState, state));
    if (before === state || partition !== undefined) return;
    if (before) instruments.circuitStatus(-1, series.with(attribute.circuitState, before));
    instruments.circuitStatus(1, series.with(attribute.circuitState, state));
    this.#circuits.set(tool, state);
  }

  #countTurn({ turn_id, outcome, duration_ms }: Of<'TurnCompleted'>): void {
    const instruments = this.#instruments;
    const calls = this.#turns.get(turn_id);
    this.#turns.delete(turn_id);
    if (!instruments) return;
    instruments.turnDuration(duration_ms / 1_000, { [attribute.turnOutcome]: outcome });
    if (!this.#agent || calls === undefined) return;
    const errorType = turnErrorType(outcome);
    instruments.agentDuration(duration_ms / 1_000, errorType ? { ...this.#agent, [attribute.errorType]: errorType } : this.#agent);
    instruments.agentToolCalls(calls, this.#agent);
  }

  #troubleOf(turnId: string, callId: string): Trouble {
    const key = `${turnId}/${callId}`;
    const known = this.#troubles.get(key);
    if (known) return known;
    if (this.#troubles.size >= TROUBLES) this.#troubles.clear();
    const made: Trouble = { code: 'TOOL_ERROR', status: undefined, alternative: undefined, since: 0 };
    this.#troubles.set(key, made);
    return made;
  }
}
