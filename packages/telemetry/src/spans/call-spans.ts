/**
 * Owns the spans of one call: one for the call with all its attempts, one per attempt, one per alternative.
 *
 * Invariants
 * 1. A failure that was recovered from is on the attempt, never on the call: the call is an error only if its result is one.
 * 2. When the call has its result, none of its spans is open, even if work still runs.
 */
import type { AlternativeUsed, AttemptStarted, CallCompleted, ToolError, ToolSucceeded } from '@holdfast/core/trace';
import { attemptAttributes, attribute, endAttributes, operation, spanName, unknownTool } from '../semconv.ts';
import { errorTypeOf } from './error-type.ts';
import type { SpanOptions } from './options.ts';
import { inSeconds, some } from './span-events.ts';
import type { Attributes, SpanFailure, SpanHandle, SpanSink } from './span-sink.ts';

const none: readonly never[] = [];

interface Attempt<Handle> {
  readonly number: number;
  readonly span: Handle;
  readonly startMs: number;
}

export class CallSpans<Handle extends SpanHandle> {
  readonly toolName: string;
  readonly span: Handle;
  readonly #sink: SpanSink<Handle>;
  readonly #options: SpanOptions;
  #attempts: readonly Attempt<Handle>[] = none;
  /** Of the attempt that ended last. */
  #lastAttempt: Handle | undefined;
  #alternative: { readonly toolName: string; readonly span: Handle } | undefined;
  #failure: { readonly toolName: string; readonly code: string; readonly status: number | undefined; readonly message: string } | undefined;
  #backoffMs = 0;

  constructor(toolName: string, span: Handle, sink: SpanSink<Handle>, options: SpanOptions) {
    this.toolName = toolName;
    this.span = span;
    this.#sink = sink;
    this.#options = options;
  }

  begin(event: AttemptStarted, startMs: number): Handle {
    const parent = this.#alternative?.span ?? this.span;
    if (this.#options.attemptSpans === 'never' || !parent.recording) return parent;
    const timeout = Number.isFinite(event.timeout_ms) ? event.timeout_ms / 1_000 : 0;
    const attributes = attemptAttributes(event.tool_id, event.attempt, event.circuit_breaker_state, timeout);
    if (event.probe) attributes[attribute.attemptProbe] = true;
    if (event.hedge) attributes[attribute.attemptHedge] = true;
    const span = this.#sink.begin({ role: 'attempt', name: spanName.attempt(event.tool_id), startMs, attributes, links: none }, parent);
    const attempt = { number: event.attempt, span, startMs };
    this.#attempts = this.#attempts.length === 0 ? [attempt] : [...this.#attempts, attempt];
    return span;
  }

  attempt(number: number): Handle | undefined {
    return this.#attempts.find((attempt) => attempt.number === number)?.span;
  }

  recordSuccess({ attempt, output, tool_id }: ToolSucceeded, atMs: number): void {
    this.#endAttempt(attempt, atMs, 'success', undefined);
    if (output !== undefined && this.span.recording) this.#recordContent(output, tool_id);
  }

  recordFailure({ tool_id, attempt, code, status, error, duration_ms, ...event }: ToolError, atMs: number): void {
    this.#failure = { toolName: tool_id, code, status, message: error };
    const open = this.#attempts.find(({ number }) => number === attempt);
    if (!open) return;
    if (open.span.recording) {
      this.#sink.set(
        open.span,
        some({
          [attribute.errorCode]: code,
          [attribute.errorClass]: event.classification,
          [attribute.errorCategory]: event.category,
          [attribute.errorRule]: event.rule,
          [attribute.errorAmbiguous]: event.ambiguous || undefined,
          [attribute.retryAfter]: inSeconds(event.retry_after_ms),
        }),
      );
    }
    // An advisor may have run in between.
    const endMs = Math.min(open.startMs + duration_ms, atMs);
    const outcome = code === 'TOOL_TIMEOUT' ? 'timeout' : 'error';
    this.#endAttempt(attempt, endMs, outcome, { errorType: errorTypeOf(code, status), message: error });
  }

  recordRefusal(toolName: string, code: string): void {
    this.#failure = { toolName, code, status: undefined, message: code };
  }

  addBackoff(delayMs: number): void {
    this.#backoffMs += delayMs;
  }

  /** An alternative begins: a separate execution, linked to the failure. */
  beginAlternative({ tool_id, alternative }: AlternativeUsed, atMs: number): void {
    this.#endAlternative(atMs, false);
    if (!this.span.recording) return;
    const attributes = {
      [attribute.operation]: operation.executeTool,
      [attribute.toolName]: alternative,
      [attribute.toolType]: 'function',
      [attribute.alternativeOf]: tool_id,
    };
    const because = this.#lastAttempt ?? this.span;
    const links = [{ to: because, kind: 'alternative_of' as const }];
    const name = spanName.call(alternative);
    const span = this.#sink.begin({ role: 'alternative', name, startMs: atMs, attributes, links }, this.span);
    this.#alternative = { toolName: alternative, span };
  }

  end(event: CallCompleted, atMs: number): void {
    for (const { number } of this.#attempts) this.#endAttempt(number, atMs, ...endOf(event));
    this.#endAlternative(atMs, event.status === 'success');
    const code = event.code ?? 'TOOL_ERROR';
    if (this.span.recording) {
      if (code === 'UNKNOWN_TOOL') this.#sink.rename(this.span, spanName.call(unknownTool));
      this.#sink.set(this.span, this.#summary(event));
    }
    const failure = event.status === 'success' ? undefined : { errorType: this.#errorType(code), message: event.error ?? code };
    this.#sink.end(this.span, atMs, failure);
  }

  #summary(event: CallCompleted): Attributes {
    const attributes = endAttributes(event.status, event.attempts);
    if (this.#backoffMs > 0) attributes[attribute.callBackoff] = this.#backoffMs / 1_000;
    if (event.served_by !== event.tool_id) attributes[attribute.callServedBy] = event.served_by;
    if (event.fallback_used) attributes[attribute.callFallbackUsed] = true;
    if (event.partial) attributes[attribute.callPartial] = true;
    if (event.stopped_by) attributes[attribute.callStoppedBy] = event.stopped_by;
    if (event.code !== undefined) attributes[attribute.errorCode] = event.code;
    if (event.classification) attributes[attribute.errorClass] = event.classification;
    return attributes;
  }

  /** Its end will not be reported. */
  abandon(atMs: number): void {
    for (const { number } of this.#attempts) this.#endAttempt(number, atMs, 'unknown', undefined);
    if (this.#alternative) this.#sink.end(this.#alternative.span, atMs, undefined);
    if (this.span.recording) this.#sink.set(this.span, { [attribute.unfinished]: true });
    this.#sink.end(this.span, atMs, undefined);
  }

  /** The status of the last failure, if it is the reason for the result. */
  #errorType(code: string): string {
    return errorTypeOf(code, this.#failure?.code === code ? this.#failure.status : undefined);
  }

  #endAttempt(number: number, atMs: number, outcome: string, failure: SpanFailure | undefined): void {
    const attempt = this.#attempts.find((one) => one.number === number);
    if (!attempt) return;
    this.#attempts = this.#attempts.length === 1 ? none : this.#attempts.filter((one) => one !== attempt);
    this.#lastAttempt = attempt.span;
    if (attempt.span.recording) this.#sink.set(attempt.span, { [attribute.attemptOutcome]: outcome });
    this.#sink.end(attempt.span, atMs, failure);
  }

  #endAlternative(atMs: number, succeeded: boolean): void {
    if (!this.#alternative) return;
    const { toolName, span } = this.#alternative;
    this.#alternative = undefined;
    const { code, status, message } = this.#failure?.toolName === toolName ? this.#failure : lost;
    this.#sink.end(span, atMs, succeeded ? undefined : { errorType: errorTypeOf(code, status), message });
  }

  #recordContent(output: unknown, toolName: string): void {
    const text = this.#options.content?.(output, { kind: 'result', toolName });
    if (text !== undefined) this.#sink.set(this.span, { [attribute.toolResult]: text });
  }
}

/** It was cancelled before it had an answer. */
const lost = { code: 'CANCELLED', status: undefined, message: 'ended with its call' } as const;

/** The end of an attempt that had no answer when its call had its result. */
function endOf({ status, partial, code = 'CANCELLED', error = '' }: CallCompleted): [string, SpanFailure | undefined] {
  if (status === 'success' && !partial) return ['superseded', undefined];
  if (partial) return ['left_running', undefined];
  return [code === 'TURN_DEADLINE' ? 'left_running' : 'cancelled', { errorType: errorTypeOf(code), message: error }];
}
