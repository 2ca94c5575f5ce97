/** Owns the spans of one turn: its own, if it has one, and those of its calls. A single call is a turn of one call without a span for the turn. */
import { truncate } from '@holdfast/core/internal/plain';
import type { TraceEvent } from '@holdfast/core';
import type { PlannedCallRecord } from '@holdfast/core/trace';
import { attribute, callAttributes, operation, spanName } from '../semconv.ts';
import { CallSpans } from './call-spans.ts';
import { turnErrorType } from './error-type.ts';
import type { Agent, SpanOptions } from './options.ts';
import { inSeconds, some } from './span-events.ts';
import type { Attributes, SpanHandle, SpanLink, SpanSink } from './span-sink.ts';

type Of<Type extends TraceEvent['event_type']> = Extract<TraceEvent, { readonly event_type: Type }>;

export class TurnSpans<Handle extends SpanHandle> {
  readonly turnId: string;
  /** The parent of its calls: its own span, or the one that was active when it began. */
  readonly parent: Handle;
  readonly #originMs: number;
  #latestMs: number;
  readonly #own: Handle | undefined;
  readonly #sink: SpanSink<Handle>;
  readonly #options: SpanOptions;
  readonly #plan: readonly PlannedCallRecord[];
  readonly #dependencies: ReadonlyMap<string, readonly string[]> | undefined;
  /** The call that began last; most turns run one at a time. */
  #callId: string | undefined;
  #call: CallSpans<Handle> | undefined;
  /** The other open calls. */
  #others: Map<string, CallSpans<Handle>> | undefined;
  /** Only if calls depend on each other: a new call is linked to those that it waited for. */
  readonly #spans: Map<string, Handle> | undefined;

  constructor(first: TraceEvent, sink: SpanSink<Handle>, options: SpanOptions) {
    this.turnId = first.turn_id;
    this.#sink = sink;
    this.#options = options;
    this.#originMs = options.originMs ?? epochMs(first.timestamp) - first.elapsed_ms;
    this.#latestMs = this.#originMs + first.elapsed_ms;
    const ambient = sink.ambient();
    this.#plan = first.event_type === 'TurnStarted' ? first.calls : [];
    this.#own = first.event_type === 'TurnStarted' && this.#wantsOwn(ambient) ? this.#begin(first, ambient) : undefined;
    this.parent = this.#own ?? ambient;
    const dependent = this.#plan.filter(({ depends_on }) => depends_on.length > 0);
    if (dependent.length > 0) {
      this.#dependencies = new Map(dependent.map(({ call_id, depends_on }) => [call_id, depends_on]));
      this.#spans = new Map();
    }
  }

  /** Milliseconds with the precision of the monotonic clock. */
  at({ elapsed_ms }: TraceEvent): number {
    this.#latestMs = this.#originMs + elapsed_ms;
    return this.#latestMs;
  }

  call(callId: string | undefined): CallSpans<Handle> | undefined {
    if (callId === undefined) return undefined;
    return callId === this.#callId ? this.#call : this.#others?.get(callId);
  }

  beginCall(event: Of<'CallStarted'>): CallSpans<Handle> {
    const { call_id: callId, tool_id: toolName } = event;
    const alone = this.#plan.length <= 1 && !this.#own;
    const adopted = alone ? this.#sink.adopt(this.parent, toolName, callId) : undefined;
    const span = adopted ?? this.#beginCall(event);
    if (adopted?.recording) this.#sink.set(adopted, { [attribute.turnId]: this.turnId, [attribute.callId]: callId });
    const call = new CallSpans(toolName, span, this.#sink, this.#options);
    if (this.#call && this.#callId !== undefined) {
      this.#others ??= new Map();
      this.#others.set(this.#callId, this.#call);
    }
    this.#callId = callId;
    this.#call = call;
    this.#spans?.set(callId, span);
    return call;
  }

  endCall(callId: string): void {
    if (callId !== this.#callId) this.#others?.delete(callId);
    else {
      this.#callId = undefined;
      this.#call = undefined;
    }
  }

  end(event: Of<'TurnCompleted'>): void {
    this.#abandonCalls(this.at(event));
    if (!this.#own) return;
    if (this.#own.recording) {
      this.#sink.set(this.#own, {
        [attribute.turnOutcome]: event.outcome,
        [attribute.turnEscalated]: event.escalated,
        [attribute.turnCriticalPath]: event.critical_path,
      });
    }
    const errorType = turnErrorType(event.outcome);
    this.#sink.end(this.#own, this.at(event), errorType === undefined ? undefined : { errorType, message: event.summary });
  }

  /** Its end will not be reported. */
  abandon(): void {
    const atMs = this.#latestMs;
    this.#abandonCalls(atMs);
    if (!this.#own) return;
    if (this.#own.recording) this.#sink.set(this.#own, { [attribute.unfinished]: true });
    this.#sink.end(this.#own, atMs, undefined);
  }

  #abandonCalls(atMs: number): void {
    this.#call?.abandon(atMs);
    for (const call of this.#others?.values() ?? []) call.abandon(atMs);
    this.#call = undefined;
    this.#others = undefined;
  }

  #wantsOwn(ambient: Handle): boolean {
    const { turnSpan } = this.#options;
    return turnSpan === 'always' || (turnSpan === 'auto' && !this.#sink.hasSpan(ambient));
  }

  #begin(event: Of<'TurnStarted'>, ambient: Handle): Handle {
    const { agent } = this.#options;
    const attributes = some({
      [attribute.turnId]: this.turnId,
      [attribute.turnCalls]: event.calls.length,
      [attribute.turnSeed]: event.seed,
      [attribute.turnTimeout]: inSeconds(event.timeout_ms ?? undefined),
      [attribute.conversationId]: this.#options.conversationId?.(this.turnId),
      ...(agent ? agentAttributes(agent) : {}),
    });
    const name = agent ? spanName.agent(agent.name) : spanName.turn;
    return this.#sink.begin({ role: 'turn', name, startMs: this.at(event), attributes, links: [] }, ambient);
  }

  #beginCall(event: Of<'CallStarted'>): Handle {
    const { call_id, tool_id, arguments: args } = event;
    const toolName = shortName(tool_id);
    const attributes = callAttributes(toolName, shortName(call_id), this.turnId);
    const { describe, conversationId } = this.#options;
    const description = describe?.(tool_id);
    if (description !== undefined && description !== '')
      attributes[attribute.toolDescription] = truncate(description, MAX_DESCRIPTION_LENGTH);
    // A turn's own span has it for all of its calls.
    const conversation = this.#own ? undefined : conversationId?.(this.turnId);
    if (conversation !== undefined) attributes[attribute.conversationId] = conversation;
    const content = args === undefined ? undefined : this.#options.content?.(args, { kind: 'arguments', toolName: tool_id });
    if (content !== undefined) attributes[attribute.toolArguments] = content;
    const links = this.#spans ? this.#linksOf(call_id) : none;
    return this.#sink.begin({ role: 'call', name: spanName.call(toolName), startMs: this.at(event), attributes, links }, this.parent);
  }

  #linksOf(callId: string): readonly SpanLink<Handle>[] {
    return (this.#dependencies?.get(callId) ?? none).flatMap((name) => {
      const to = this.#spans?.get(name);
      return to ? [{ to, kind: 'depends_on' as const }] : [];
    });
  }
}

const none: readonly never[] = [];

/** Names and ids may come from models and have any length. */
function shortName(name: string): string {
  return truncate(name, MAX_NAME_LENGTH);
}

const MAX_NAME_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 1_000;

let lastTimestamp = '';
let lastEpochMs = 0;

/** Cached: turns that begin within a millisecond have the same text. */
function epochMs(timestamp: string): number {
  if (timestamp !== lastTimestamp) {
    lastTimestamp = timestamp;
    lastEpochMs = Date.parse(timestamp);
  }
  return lastEpochMs;
}

function agentAttributes({ name, version, provider }: Agent): Attributes {
  return some({
    [attribute.operation]: operation.invokeAgent,
    [attribute.agentName]: name,
    [attribute.agentVersion]: version,
    [attribute.provider]: provider,
  });
}
