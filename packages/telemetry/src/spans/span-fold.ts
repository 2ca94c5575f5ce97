/**
 * Owns the fold of trace events into spans. Does not own what a span is (`SpanSink`) or the metrics.
 *
 * Invariants
 * 1. Spans follow from the events alone, and so do their times.
 * 2. The state of a turn is dropped at its end.
 */
import type { AttemptContext, TraceEvent } from '@holdfast/core';
import { agentEventTypes } from '@holdfast/core/trace';
import { attribute, spanEvent } from '../semconv.ts';
import type { SpanOptions } from './options.ts';
import type { SpanTraceEvent } from './span-events.ts';
import { attributesOf } from './span-events.ts';
import type { SpanHandle, SpanSink } from './span-sink.ts';
import { TurnSpans } from './turn-spans.ts';

/** An attempt whose span has begun. */
export interface BegunAttempt<Handle> {
  readonly event: Extract<TraceEvent, { readonly event_type: 'AttemptStarted' }>;
  readonly span: Handle;
}

export class SpanFold<Handle extends SpanHandle> {
  readonly #sink: SpanSink<Handle>;
  readonly #options: SpanOptions;
  readonly #turns = new Map<string, TurnSpans<Handle>>();
  #last: TurnSpans<Handle> | undefined;
  /** The call or turn that ended last. */
  #ended: { readonly turnId: string; readonly callId: string | undefined; readonly span: Handle } | undefined;
  /** The attempt that began last: its runner is called right after. */
  begun: BegunAttempt<Handle> | undefined;

  constructor(sink: SpanSink<Handle>, options: SpanOptions) {
    this.#sink = sink;
    this.#options = options;
  }

  /** Number of open turns. */
  get size(): number {
    return this.#turns.size;
  }

  observe(event: TraceEvent): void {
    switch (event.event_type) {
      case 'TurnStarted':
        return this.#beginTurn(event);
      case 'CallStarted':
        return this.#beginCall(event);
      case 'ToolProgress':
      case 'ToolTimeout':
        return;
      default:
        if (this.#turns.size > 0 || agentEvents.has(event.event_type)) this.#observeRest(event);
    }
  }

  /** The span of a running attempt; the call's if attempts have no spans. */
  attempt(turnId: string, callId: string, number: number): Handle | undefined {
    const call = this.#turns.get(turnId)?.call(callId);
    return call?.attempt(number) ?? call?.span;
  }

  /** The span of the call or turn of an event, also if the event has just ended it. */
  spanOf(event: TraceEvent): Handle | undefined {
    const turn = this.#turns.get(event.turn_id);
    const callId = 'call_id' in event ? event.call_id : undefined;
    const ended = this.#ended?.turnId === event.turn_id && this.#ended.callId === callId ? this.#ended.span : undefined;
    return turn?.call(callId)?.span ?? ended ?? turn?.parent;
  }

  /** Ends the open spans at the time of their last event. */
  abandon(): void {
    for (const turn of this.#turns.values()) turn.abandon();
    this.#turns.clear();
    this.#last = undefined;
    this.begun = undefined;
  }

  #beginTurn(event: Extract<TraceEvent, { readonly event_type: 'TurnStarted' }>): void {
    if (this.#sink.idle) return;
    this.#keep(new TurnSpans(event, this.#sink, this.#options));
  }

  #beginCall(event: Extract<TraceEvent, { readonly event_type: 'CallStarted' }>): void {
    const known = this.#turn(event.turn_id);
    if (!known && this.#sink.idle) return;
    const turn = known ?? new TurnSpans(event, this.#sink, this.#options);
    const { span } = turn.beginCall(event);
    if (!known && span.tracked) this.#keep(turn);
  }

  #keep(turn: TurnSpans<Handle>): void {
    // The id is used again while its turn still runs: their events cannot be distinguished.
    this.#turns.get(turn.turnId)?.abandon();
    this.#turns.set(turn.turnId, turn);
    this.#last = turn;
  }

  #forget(turnId: string): void {
    this.#turns.delete(turnId);
    this.#last = undefined;
  }

  /** Cached, since events of one turn come one after another. */
  #turn(turnId: string): TurnSpans<Handle> | undefined {
    if (this.#last?.turnId !== turnId) this.#last = this.#turns.get(turnId);
    return this.#last;
  }

  #observeRest(event: TraceEvent): void {
    const turn = this.#turn(event.turn_id);
    if (!turn) return isRecorded(event) && agentEvents.has(event.event_type) ? this.#recordOnActiveSpan(event) : undefined;
    if (event.event_type === 'TurnCompleted') {
      turn.end(event);
      this.#ended = { turnId: event.turn_id, callId: undefined, span: turn.parent };
      this.#forget(event.turn_id);
      return;
    }
    if (isRecorded(event)) this.#record(turn, event);
    this.#observeCall(turn, event);
  }

  #observeCall(turn: TurnSpans<Handle>, event: TraceEvent): void {
    const call = turn.call('call_id' in event ? event.call_id : undefined);
    if (!call) return;
    const atMs = turn.at(event);
    switch (event.event_type) {
      case 'AttemptStarted':
        this.begun = { event, span: call.begin(event, atMs) };
        return;
      case 'ToolSucceeded':
        return call.recordSuccess(event, atMs);
      case 'ToolError':
        return call.recordFailure(event, atMs);
      case 'CallRefused':
        return call.recordRefusal(event.tool_id, event.code);
      case 'RetryScheduled':
        return call.addBackoff(event.delay_ms);
      case 'AlternativeUsed':
        return call.beginAlternative(event, atMs);
      case 'CallCompleted':
        call.end(event, atMs);
        this.#ended = { turnId: event.turn_id, callId: event.call_id, span: call.span };
        turn.endCall(event.call_id);
        if (event.ends_turn) this.#forget(event.turn_id);
        return;
      default:
    }
  }

  #record(turn: TurnSpans<Handle>, event: SpanTraceEvent): void {
    const call = turn.call('call_id' in event ? event.call_id : undefined);
    const span = call?.span ?? turn.parent;
    if (span.recording) this.#sink.event(span, spanEvent[event.event_type], turn.at(event), attributesOf(event));
  }

  /** Records an event of an ended or unknown turn on the active span. */
  #recordOnActiveSpan(event: SpanTraceEvent): void {
    const span = this.#sink.ambient();
    if (!span.recording) return;
    const attributes = { [attribute.turnId]: event.turn_id, ...attributesOf(event) };
    const { originMs } = this.#options;
    const atMs = originMs === undefined ? Date.parse(event.timestamp) : originMs + event.elapsed_ms;
    this.#sink.event(span, spanEvent[event.event_type], atMs, attributes);
  }
}

/** Events that an agent run writes after its turn. */
const agentEvents: ReadonlySet<string> = new Set(agentEventTypes);

function isRecorded(event: TraceEvent): event is SpanTraceEvent {
  return event.event_type in spanEvent;
}

/** Calls of a batch with the same id have different ids in the trace: `id`, `id#2` … */
export function isAttemptOf({ turn_id, attempt, tool_id, call_id }: BegunAttempt<SpanHandle>['event'], context: AttemptContext): boolean {
  if (turn_id !== context.turnId || attempt !== context.attempt || tool_id !== context.toolName) return false;
  return call_id === context.callId || call_id.startsWith(`${context.callId}#`);
}
